import {
  canonicalJson,
  NotCanonicalError,
  isSameIdentity,
  readJwsHeader,
  signDetachedJws,
  verifyDetachedJws,
  type Curve,
  type Did,
  type PrivateKey,
} from '@ssb/identity';
import type { EventType } from './envelope/event-type.js';
import type { DetectedEvent, SignedEvent } from './event.js';

export interface EventSigningOptions {
  /** Fully qualified channel name. */
  readonly channel: string;
  readonly topic: string;
  readonly signedAt: Date;
  /** The bridge's own key, not the gateway's. */
  readonly key: PrivateKey;
}

/**
 * Adds channel, topic, signing time and proof to an event. The proof identifies the bridge that created the event; the signature of the
 * message identifies only the gateway that posted it.
 */
export function signEvent<Type extends EventType>(
  event: DetectedEvent<Type>,
  { channel, topic, signedAt, key }: EventSigningOptions,
): SignedEvent<Type> {
  // An event that is already signed gets a new proof.
  const unsigned = { ...event, channel, topic, signedat: signedAt.toISOString(), proof: undefined };
  return Object.freeze({ ...unsigned, proof: signDetachedJws(canonicalJson(unsigned), key) });
}

export type ProofVerdict =
  | { readonly ok: true; readonly origin: Did; readonly publicKey: string }
  | { readonly ok: false; readonly reason: 'missing' | 'malformed' | 'signature' }
  /** `claimed`: what the proof names as its signer, which can be any text. */
  | { readonly ok: false; readonly reason: 'origin-not-allowed'; readonly claimed: string };

/** Verifies that an allowed bridge signed this event. An invalid proof is a verdict, not an exception. `curve` replaces the default one. */
export function verifyProof(
  event: Readonly<Record<string, unknown>>,
  allowedOrigins: readonly string[],
  curve?: Curve,
): ProofVerdict {
  const { proof, ...unsigned } = event;
  if (typeof proof !== 'string') return { ok: false, reason: 'missing' };
  const claimed = readJwsHeader(proof)?.['kid'];
  if (typeof claimed !== 'string') return { ok: false, reason: 'malformed' };
  const origin = allowedOrigins.find((did) => isSameIdentity(did, claimed));
  if (origin === undefined) return { ok: false, reason: 'origin-not-allowed', claimed };
  const canonical = tryCanonicalJson(unsigned);
  if (canonical === undefined) return { ok: false, reason: 'malformed' };
  const verdict = verifyDetachedJws(proof, canonical, origin, curve);
  if (verdict.ok) return { ok: true, origin: verdict.signer, publicKey: verdict.publicKey };
  return { ok: false, reason: verdict.reason === 'signature' ? 'signature' : 'malformed' };
}

function tryCanonicalJson(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}
