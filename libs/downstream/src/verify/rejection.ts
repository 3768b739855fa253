import type { ProofVerdict } from '@ssb/events';

/** Why a message is refused, in the order of the checks. The first check that fails gives the reason. */
export const REJECTION_REASONS = [
  /** The signature is not 65 bytes in hexadecimal, or recovers no signer. */
  'signature-format',
  /** The address that signed the payload is not that of the sender's DID. */
  'signer-mismatch',
  /** The sender's gateway is not trusted on this channel. */
  'sender-not-allowed',
  /** The payload is not one JSON object with unique names. */
  'not-an-event',
  /** The proof of origin is missing or does not match the event. */
  'origin-proof',
  /** The bridge that the proof names is not trusted on this channel. Its signature is not checked. */
  'origin-not-allowed',
  /** The catalogue does not contain the event's type. */
  'unknown-type',
  /** The event does not match the schema of its type, or its id and subject belong to another fact. */
  'schema',
  /** The bridge is not trusted for facts about the event's participant on this channel. */
  'participant-not-allowed',
  /** The event was signed for another channel. */
  'channel-mismatch',
  /** The event was signed for another topic. */
  'topic-mismatch',
] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

export interface Rejection {
  readonly ok: false;
  readonly reason: RejectionReason;
  /** A sentence for the operator, without the payload. */
  readonly detail: string;
}

export function reject(reason: RejectionReason, detail: string): Rejection {
  return { ok: false, reason, detail };
}

type ProofFailure = Exclude<Extract<ProofVerdict, { ok: false }>['reason'], 'origin-not-allowed'>;

/** Why the proof of origin of an event is refused. */
export const PROOF_REJECTIONS: Readonly<Record<ProofFailure, Rejection>> = {
  missing: reject('origin-proof', 'the event has no proof'),
  malformed: reject('origin-proof', 'the proof is not a detached JWS of this event'),
  signature: reject(
    'origin-proof',
    'the proof was not made by the bridge that it names, or not for this event',
  ),
};
