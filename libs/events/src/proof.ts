import {
  canonicalJson,
  NotCanonicalError,
  sameIdentity,
  signDetachedJws,
  verifyDetachedJws,
  type Did,
  type PrivateKey,
} from '@ssb/identity';
import type { DetectedEvent, SealedEvent } from './envelope/event.js';
import type { EventType } from './envelope/event-type.js';

export interface Sealing {
  /** Fully qualified channel name. */
  readonly channel: string;
  readonly topic: string;
  readonly signedAt: Date;
  /** The bridge's own key, not the gateway's. */
  readonly key: PrivateKey;
}

/**
 * Addresses an event and proves who states it. The gateway's signature says who posted a message; the proof says which bridge stated
 * the fact, for which channel and when, and survives any number of hops.
 */
export function sealEvent<T extends EventType>(
  event: DetectedEvent<T>,
  { channel, topic, signedAt, key }: Sealing,
): SealedEvent<T> {
  // Sealing anew replaces: a proof that was there is no part of what is stated.
  const stated = { ...event, channel, topic, signedat: signedAt.toISOString(), proof: undefined };
  return Object.freeze({ ...stated, proof: signDetachedJws(canonicalJson(stated), key) });
}

export type ProofVerdict =
  | { readonly ok: true; readonly origin: Did }
  | { readonly ok: false; readonly reason: 'missing' | 'malformed' | 'origin-not-allowed' | 'signature' };

/** Whether one of the allowed bridges stated exactly this. Never throws: a bad proof is a verdict. */
export function verifyProof(
  event: Readonly<Record<string, unknown>>,
  allowedOrigins: readonly string[],
): ProofVerdict {
  const { proof, ...stated } = event;
  if (typeof proof !== 'string') return { ok: false, reason: 'missing' };
  const claimed = claimedOrigin(proof);
  if (claimed === undefined) return { ok: false, reason: 'malformed' };
  const origin = allowedOrigins.find((did) => sameIdentity(did, claimed));
  if (origin === undefined) return { ok: false, reason: 'origin-not-allowed' };
  const canonical = canonicalOrNothing(stated);
  if (canonical === undefined) return { ok: false, reason: 'malformed' };
  const verdict = verifyDetachedJws(proof, canonical, origin);
  if (verdict.ok) return { ok: true, origin: verdict.signer };
  return { ok: false, reason: verdict.reason === 'signature' ? 'signature' : 'malformed' };
}

/** The `kid` of the proof's header: who claims to have stated it. The signature is what decides. */
function claimedOrigin(proof: string): string | undefined {
  try {
    const header: unknown = JSON.parse(Buffer.from(proof.split('.')[0] ?? '', 'base64url').toString('utf8'));
    if (typeof header !== 'object' || header === null || !('kid' in header)) return undefined;
    return typeof header.kid === 'string' ? header.kid : undefined;
  } catch {
    return undefined;
  }
}

function canonicalOrNothing(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch (error) {
    if (error instanceof NotCanonicalError) return undefined;
    throw error;
  }
}
