/**
 * Why a message was not believed: the closed list, in the order in which the checks run.
 * A message is quarantined with the first that applies.
 */
export const REJECTION_REASONS = [
  /** The signature is not 65 bytes in hexadecimal, or nobody can have made it. */
  'signature-format',
  /** Somebody else than the sender's DID signed the payload. */
  'signer-mismatch',
  /** The sender's gateway is not trusted on this channel. */
  'sender-not-allowed',
  /** The payload is not one JSON object with unambiguous names, so there is nothing that a proof could cover. */
  'not-an-event',
  /** The event carries no proof of an origin, or the proof does not fit the event. */
  'origin-proof',
  /** The proof is valid, but by a bridge that is not trusted on this channel. */
  'origin-not-allowed',
  /** The event's type is not in the catalogue. */
  'unknown-type',
  /** The event does not keep its type's schema. */
  'schema',
  /** The event was sealed for another channel than it arrived on. */
  'channel-mismatch',
  /** The event was sealed for another topic than it arrived on. */
  'topic-mismatch',
  /** The message's transaction id is not the event's id. */
  'id-mismatch',
  /** The bus took the message too long after the event was sealed: a replay, or a clock gone wrong. */
  'stale',
  /** The bus took the message before the event was sealed. */
  'premature',
] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];
