import type { SignedEvent } from '@ssb/events';
import type { RejectionReason } from '../verify/rejection.js';
import type { KeyState } from './key-trust.js';

/** A signer of the evidence. `not-checked`: no trust file was given. */
export interface EvidenceKey {
  readonly did: string;
  readonly publicKey: string;
  readonly state: KeyState | 'not-trusted' | 'not-checked';
  /** Since when it is no longer trusted, or may be in other hands. */
  readonly since?: string;
}

/** When something happened, and who says so. No signature proves a time. */
export interface ClaimedTime {
  readonly what: 'fact' | 'detected' | 'signed' | 'stored' | 'archived';
  readonly at: string;
  readonly claimedBy: 'bridge' | 'bus' | 'subscriber';
}

/** The event of a file whose signer is not verified. Anyone can have written it. */
export type UnverifiedEvent = SignedEvent | Readonly<Record<string, unknown>>;

/** What undamaged evidence says. The lists have sentences for people. */
export interface EvidenceFindings<Event = UnverifiedEvent> {
  readonly event: Event;
  readonly eventId: string;
  readonly type: string;
  readonly participant: string;
  /** Absent when nobody signed the event, as `origin` is. */
  readonly gateway?: EvidenceKey;
  readonly origin?: EvidenceKey;
  readonly times: readonly ClaimedTime[];
  readonly proved: readonly string[];
  readonly notProved: readonly string[];
  /** What follows from a key that was retired or revoked later. */
  readonly notes: readonly string[];
}

/** Why the signers of undamaged evidence are not verified. */
export const CONSISTENT_REASONS = [
  /** No trust file was given. */
  'signer-not-verified',
  /** The subscriber wrote the event itself. */
  'unsigned',
  /** The gateway signed with another scheme than that of the trust file. */
  'scheme-not-trusted',
  /** The trust file does not name the gateway on this channel. */
  'sender-not-allowed',
  /** The trust file does not name the bridge on this channel. */
  'origin-not-allowed',
  /** The trust file does not name the event's participant for the bridge. */
  'participant-not-allowed',
  /** A key was not trusted when the event was archived. */
  'not-trusted-then',
  /** A key may have been in other hands already. */
  'revoked',
] as const;
export type ConsistentReason = (typeof CONSISTENT_REASONS)[number];

/** Why a file proves nothing, in addition to the reasons for which a message is refused. */
export const INVALID_REASONS = [
  /** Its digest is not that of its content: at least one byte was changed, also of its line ends. */
  'damaged',
  /** It is not an evidence file. */
  'not-evidence',
  /** The event or its id is another one than that of the payload. */
  'event-mismatch',
  /** A signer is another one than that of the signature. */
  'key-mismatch',
] as const;
export type InvalidReason = (typeof INVALID_REASONS)[number] | RejectionReason;

/**
 * `verified`: both signatures are valid, and the trust file trusts both signers for this event. `consistent`: the file is undamaged, and who
 * signed it is not verified. `invalid`: it proves nothing.
 */
export type EvidenceResult =
  | ({ readonly ok: true; readonly status: 'verified' } & EvidenceFindings<SignedEvent>)
  | ({
      readonly ok: false;
      readonly status: 'consistent';
      readonly reason: ConsistentReason;
      readonly detail: string;
    } & EvidenceFindings)
  | {
      readonly ok: false;
      readonly status: 'invalid';
      readonly reason: InvalidReason;
      /** A sentence without the content of the file. */
      readonly detail: string;
    };
