import type { SealedEvent } from '@ssb/events';
import type { Message } from '@ssb/bus';
import type { RejectionReason } from '../domain/reasons.js';

/** By what an event is filed; its text is the message's payload. */
export type FiledAttributes = Readonly<{ id: string }> &
  Pick<SealedEvent, 'type' | 'subject' | 'participant' | 'sequence' | 'time' | 'detectedat'>;

/** A message that was believed, with everything that lets somebody check it again later. */
export interface AcceptedEntry {
  readonly kind: 'accepted';
  readonly message: Message;
  readonly event: FiledAttributes;
  /** DID of the bridge that proved the event. */
  readonly signer: string;
  /** Names of the sinks that hear of it. */
  readonly sinks: readonly string[];
  /** Whether it stands out as an alert. */
  readonly alert: boolean;
}

/** A message that was not believed. */
export interface RejectedEntry {
  readonly kind: 'rejected';
  readonly message: Message;
  readonly reason: RejectionReason;
  /** A sentence for the operator, without the payload. */
  readonly detail: string;
  /** Id of an event that was proved, but came at the wrong time: if the inbox has it, this is a mere repeat. */
  readonly unlessSeen?: string;
}

export type Entry = AcceptedEntry | RejectedEntry;

/** `repeat`: seen before, nothing was written. */
export type Outcome = 'archived' | 'repeat' | 'quarantined';

export interface ArchivedEvent {
  /** Grows with each event; where a listing goes on. */
  readonly position: bigint;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  readonly sequence: string;
  /** RFC 3339 with offset: when the operator published the fact. */
  readonly time: string;
  readonly channel: string;
  readonly messageId: string;
  readonly sender: string;
  readonly signer: string;
  readonly signature: string;
  /** When the bus took the message, epoch nanoseconds. */
  readonly takenAtNanos: bigint;
  readonly archivedAt: Date;
  /** The CloudEvent as it was signed, to the byte. */
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
  readonly takenAtNanos: bigint;
  readonly quarantinedAt: Date;
  /** The payload's first bytes in UTF-8, at most `QUARANTINED_PAYLOAD_BYTES`. */
  readonly payload: Buffer;
  /** How long the whole payload was, bytes. */
  readonly payloadBytes: number;
}

/** How much of a message that was not believed is kept: enough to see what it was, too little to fill a disk. */
export const QUARANTINED_PAYLOAD_BYTES = 65_536;

export interface Page {
  /** Only what came after this position; from the beginning when omitted. */
  readonly after?: bigint;
  readonly limit: number;
}

/**
 * What the subscriber knows, and the inbox by which it drops repeats.
 *
 * - `record` takes a group in one transaction, in the order given: for each accepted entry the inbox, the archive and one
 *   pending alert a sink; for each rejected entry the quarantine. All or nothing; durable when it resolves; when it rejects,
 *   nothing of the group was written and the same group may be given again.
 * - A repeat is harmless: an event id that the inbox has, also from earlier in the same group, writes nothing; nor does a
 *   rejected message that is in quarantine already, or one whose `unlessSeen` the inbox has (also from this very group).
 * - One outcome an entry, in the order of the entries.
 * - The listings are in order of arrival and do not change anything.
 */
export interface Archive {
  record(entries: readonly Entry[], now: Date): Promise<Outcome[]>;
  archived(page: Page): Promise<ArchivedEvent[]>;
  quarantined(page: Page): Promise<QuarantinedMessage[]>;
}
