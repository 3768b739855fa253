import type { SignedEvent } from '@ssb/events';
import type { Message } from '@ssb/bus';
import type { Delivery } from '../domain/backlog.js';
import type { Mark } from '../domain/marks.js';
import type { Rejection, RejectionReason } from '../domain/rejection.js';
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
  /** Names of the sinks to deliver to. */
  readonly sinks: readonly string[];
  /** True: an alert; false: a notice. */
  readonly alert: boolean;
  /** Marks of the verification. */
  readonly marks: readonly Mark[];
  /** The event states a problem that lasts until a later event of its subject. */
  readonly statesProblem: boolean;
  /** Names the version of the operator's document that the event states. */
  readonly documentVersion: string | undefined;
  /** The bridge saw no predecessor of that version, so another event may have stated it already. */
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

/** A new event, with all its marks and what happens to its alerts. */
export interface ArchivedResult {
  readonly kind: 'archived';
  readonly marks: readonly Mark[];
  readonly delivery: Delivery;
}

export const REPEAT_KINDS = ['event', 'document-version'] as const;

/** The event, or the version that it restates, is stored already, so nothing was written. */
export interface RepeatResult {
  readonly kind: 'repeat';
  readonly of: (typeof REPEAT_KINDS)[number];
}

/** What the storage did with an entry. */
export type RecordResult =
  | ArchivedResult
  | RepeatResult
  | { readonly kind: 'quarantined'; readonly reason: RejectionReason; readonly detail: string };

export interface ArchivedEvent {
  /** Increases with each event; the cursor of a listing. */
  readonly position: bigint;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  readonly sequence: string;
  /** Time of the fact (CloudEvents "time"), RFC 3339 with offset. */
  readonly time: string;
  readonly channel: string;
  readonly messageId: string;
  readonly sender: string;
  readonly origin: string;
  readonly signature: string;
  /** When the bus appended the message, epoch nanoseconds. */
  readonly appendedAtNanos: bigint;
  readonly archivedAt: Date;
  readonly marks: readonly Mark[];
  /** The signed CloudEvent, byte for byte. */
  readonly text: string;
}

export interface QuarantinedMessage {
  readonly position: bigint;
  readonly reason: string;
  readonly detail: string;
  readonly channel: string;
  readonly topic: string | undefined;
  readonly messageId: string;
  readonly transactionId: string | undefined;
  readonly sender: string;
  readonly signature: string;
  readonly appendedAtNanos: bigint;
  readonly quarantinedAt: Date;
  /** When a later evaluation accepted the message; undefined while it is open. */
  readonly releasedAt: Date | undefined;
  /** The payload in UTF-8, or its beginning. */
  readonly payload: Buffer;
  /** Size of the whole payload, bytes. */
  readonly payloadBytes: number;
}

export interface Page {
  /** Only entries after this position; all when omitted. */
  readonly after?: bigint;
  readonly limit: number;
}

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
