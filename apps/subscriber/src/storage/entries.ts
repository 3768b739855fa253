import type { SealedEvent } from '@ssb/events';
import type { Message } from '@ssb/bus';
import type { RejectionReason } from '../domain/rejection-reasons.js';

/** The attributes that have columns of their own; the event's text is the message's payload. */
export type FiledAttributes = Readonly<{ id: string }> &
  Pick<SealedEvent, 'type' | 'subject' | 'participant' | 'sequence' | 'time' | 'detectedat'>;

/** A verified message, with everything that is needed to verify it again later. */
export interface AcceptedEntry {
  readonly kind: 'accepted';
  readonly message: Message;
  readonly event: FiledAttributes;
  /** DID of the bridge that proved the event. */
  readonly signer: string;
  /** Names of the sinks that receive it. */
  readonly sinks: readonly string[];
  /** Whether it stands out as an alert. */
  readonly alert: boolean;
}

/** A message that failed verification. */
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

/** How much of a quarantined payload is kept: enough to see what it was, too little to fill a disk. */
export const QUARANTINED_PAYLOAD_BYTES = 65_536;

export interface Page {
  /** Only what came after this position; from the beginning when omitted. */
  readonly after?: bigint;
  readonly limit: number;
}
