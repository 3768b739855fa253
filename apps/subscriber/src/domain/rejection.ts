/** Why a message is rejected. The first check that fails gives the reason. */
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
  /** The event does not match the schema of its type. */
  'schema',
  /** The event was signed for another channel. */
  'channel-mismatch',
  /** The event was signed for another topic. */
  'topic-mismatch',
  /** The message's transaction id is not the event's id. */
  'id-mismatch',
  /** The bus appended the message too long after the event was signed, because of a replay or a wrong clock. */
  'stale',
  /** The bus appended the message before the event was signed. */
  'premature',
] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

export interface Rejection {
  readonly ok: false;
  readonly reason: RejectionReason;
  /** A sentence for the operator, without the payload. */
  readonly detail: string;
  /** Id of a signed event that came at the wrong time. If the inbox has it, the message is a repeat and is not quarantined. */
  readonly possibleRepeatOf?: string;
}

export function reject(reason: RejectionReason, detail: string, possibleRepeatOf?: string): Rejection {
  return { ok: false, reason, detail, possibleRepeatOf };
}
