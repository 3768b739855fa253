export interface FreshnessTerms {
  /** How far the bus's clock may be behind the publisher's, milliseconds. */
  readonly skewMs: number;
  /** How long after sealing the bus may have taken the message, milliseconds. */
  readonly maxAgeMs: number;
}

export type Freshness = 'fresh' | 'stale' | 'premature';

const NANOS_PER_MS = 1_000_000n;

/**
 * Compares when the event was sealed with when the bus took the message. The subscriber's own clock plays no part: a message
 * that waited on the bus while this side was down is as fresh as it was.
 * @param signedAtMs when the origin sealed the event, epoch milliseconds
 * @param takenAtNanos the bus's timestamp, epoch nanoseconds
 */
export function freshness(signedAtMs: number, takenAtNanos: bigint, terms: FreshnessTerms): Freshness {
  const earliest = BigInt(signedAtMs - terms.skewMs) * NANOS_PER_MS;
  const latest = BigInt(signedAtMs + terms.maxAgeMs) * NANOS_PER_MS;
  if (takenAtNanos < earliest) return 'premature';
  return takenAtNanos > latest ? 'stale' : 'fresh';
}
