import { REJECTION_REASONS as VERIFICATION_REASONS } from 'settlement-bus-downstream/checks';
import type { TrustedSource } from './trusted-source.js';

/** Why a message is rejected. The first check that fails gives the reason. */
export const REJECTION_REASONS = [
  ...VERIFICATION_REASONS,
  /** The subject has a later event, and the id may have been deleted from the inbox. Decided by the storage. */
  'replayed',
  /** The database cannot store the event as it is. Decided by the storage. */
  'not-storable',
  /** The archive holds an event under the same id that fails verification. Decided by the storage. */
  'id-taken',
] as const;

export type RejectionReason = (typeof REJECTION_REASONS)[number];

/** Verdicts that another configuration or release may change. */
const REEVALUABLE: ReadonlySet<RejectionReason> = new Set([
  'sender-not-allowed',
  'origin-not-allowed',
  'unknown-type',
  'schema',
  'participant-not-allowed',
  'channel-mismatch',
  'topic-mismatch',
  'not-storable',
  'id-taken',
]);

export interface Rejection {
  readonly ok: false;
  readonly reason: RejectionReason;
  /** A sentence for the operator, without the payload. */
  readonly detail: string;
  /** Set when a trusted gateway or bridge signed the message; its quarantine is reported to the operator. */
  readonly trustedSource?: TrustedSource;
}

export function reject(reason: RejectionReason, detail: string): Rejection {
  return { ok: false, reason, detail };
}

/**
 * Whether a message should be stored whole, because a later evaluation may accept it. A wrong SIGNATURE_SCHEME makes genuine messages fail
 * at their signature.
 */
export function isReevaluable({ reason, trustedSource }: Omit<Rejection, 'ok'>): boolean {
  if (REEVALUABLE.has(reason)) return true;
  return (reason === 'signer-mismatch' || reason === 'signature-format') && trustedSource !== undefined;
}
