import type { AlertFacts } from '@ssb/config';
import type { ProblemSignal, SignedEvent } from '@ssb/events';
import type { Message } from '@ssb/bus';
import type { DeliveryTiming } from './domain/backlog.js';
import type { PlannedDelivery, ProblemEffect } from '../domain/delivery-kind.js';
import type { Mark } from '../domain/marks.js';
import type { Rejection, RejectionReason } from '../receiver/domain/rejection.js';
import type { Heartbeat } from '../heartbeats/domain/heartbeat.js';

/** Attributes that the storage uses. The text of the event is the message's payload. */
export type ArchivedAttributes = Readonly<{ id: string }> &
  Pick<
    SignedEvent,
    | 'type'
    | 'subject'
    | 'participant'
    | 'sequence'
    | 'time'
    | 'detectedat'
    | 'signedat'
    | 'traceparent'
    | 'backfilled'
  >;

/** A message that passed verification, with everything needed to verify it again. */
export interface VerifiedEntry {
  readonly kind: 'verified';
  readonly message: Message;
  readonly event: ArchivedAttributes;
  /** DID of the bridge that signed the event. */
  readonly origin: string;
  /** What the event says about a problem; undefined for an event of no problem. */
  readonly problem: ProblemSignal | undefined;
  /** The amount that rules compare; undefined for an event without one. */
  readonly amount: AlertFacts['amount'];
  /** Marks of the verification. */
  readonly marks: readonly Mark[];
  /** The event announces a problem that lasts until a later event of its subject. */
  readonly announcesProblem: boolean;
  /** Names the version of the operator's document that the event announces. */
  readonly documentVersion: string | undefined;
  /** The bridge saw no predecessor of that version, so another event may have announced it already. */
  readonly isRestated: boolean;
  /** Set for a heartbeat of a configured participant. */
  readonly heartbeat?: Heartbeat;
  /** Time of a test heartbeat of a configured participant. */
  readonly testHeartbeatAt?: Date;
}

/** A message that failed verification. */
export interface RejectedEntry extends Omit<Rejection, 'ok'> {
  readonly kind: 'rejected';
  readonly message: Message;
}

export type ArchiveEntry = VerifiedEntry | RejectedEntry;

/** A new event, with all its marks and when it is delivered. */
export interface TimedEntry {
  readonly entry: VerifiedEntry;
  readonly marks: readonly Mark[];
  readonly timing: DeliveryTiming;
}

/** A new event, with what it did to its problem and its deliveries. */
export interface DecidedEntry extends TimedEntry {
  /** Undefined when it changed no problem. */
  readonly effect: ProblemEffect | undefined;
  readonly deliveries: readonly PlannedDelivery[];
}

export interface ArchivedResult extends Omit<DecidedEntry, 'entry'> {
  readonly kind: 'archived';
}

export const REPEAT_KINDS = ['event', 'document-version'] as const;

/** The event, or the version that it restates, was stored before, so nothing was written. */
export interface RepeatResult {
  readonly kind: 'repeat';
  readonly of: (typeof REPEAT_KINDS)[number];
}

/** What the storage did with an entry. */
export type RecordResult =
  | ArchivedResult
  | RepeatResult
  | { readonly kind: 'quarantined'; readonly reason: RejectionReason; readonly detail: string };

/** Maximum length of a message's field other than its payload; valid ids, names and signatures are shorter. */
const MAX_FIELD_LENGTH = 512;

/** ASCII, which every encoding of a database has, of bounded length. */
export function toAscii(text: string): string {
  return text.slice(0, MAX_FIELD_LENGTH).replaceAll(/[^\x20-\x7e]/g, '?');
}

/** Makes text from the network safe for the database: PostgreSQL stores no NUL in text, and an index no long values. */
export function boundedText(text: string): string {
  const short = text.length <= MAX_FIELD_LENGTH ? text : `${text.slice(0, MAX_FIELD_LENGTH)}…`;
  return Buffer.from(short.replaceAll('\u0000', '\uFFFD'), 'utf8').toString('utf8');
}
