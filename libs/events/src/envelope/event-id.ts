import { createHash } from 'node:crypto';

/** A UUID in version-4 form, derived from the fact. Detecting the same fact again gives the same id. */
export type EventId = string & { readonly __brand: 'EventId' };

/**
 * Derives an event's id from its fact: SHA-256 of the parts, each prefixed with its length. It is also job id, `transactionId` and archive
 * key. Brokers require version 4.
 */
export function eventId(type: string, participant: string, naturalKey: string, version: string): EventId {
  const hash = createHash('sha256');
  for (const part of [type, participant, naturalKey, version])
    hash.update(`${Buffer.byteLength(part)}:${part}`);
  const bytes = hash.digest().subarray(0, 16);
  // RFC 9562 §5.4: version 4 in the high bits of octet 6, variant 10 in those of octet 8.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join(
    '-',
  ) as EventId;
}
