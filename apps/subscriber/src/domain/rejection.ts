import type { RejectionReason } from './rejection-reasons.js';

/** Why a message is not believed. */
export interface Rejection {
  readonly ok: false;
  readonly reason: RejectionReason;
  /** A sentence for the operator, without the payload. */
  readonly detail: string;
  /** Id of an event that is proved and came at the wrong time: if it was seen before, this is a mere repeat. */
  readonly unlessSeen?: string;
}

export function rejected(reason: RejectionReason, detail: string, unlessSeen?: string): Rejection {
  return { ok: false, reason, detail, unlessSeen };
}
