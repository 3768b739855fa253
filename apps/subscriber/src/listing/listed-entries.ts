import type { DeliveryState } from '../deliveries/requests/delivery-selection.js';
import type { DeliveryKind, WithheldReason } from '../domain/delivery-kind.js';
import type { Mark } from '../domain/marks.js';

export interface ArchivedEvent {
  /** Increases with each event; the cursor of a listing. */
  readonly offset: bigint;
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
  readonly offset: bigint;
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
  /** Only entries after this offset; all when omitted. */
  readonly after?: bigint;
  readonly limit: number;
}

/** A delivery that its sink has not accepted, that a newer one replaced, that a person skipped, or that was withheld. */
export interface Undelivered {
  /** Offset of the event in the archive. */
  readonly offset: bigint;
  readonly state: Exclude<DeliveryState, 'delivered'>;
  readonly sink: string;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly kind: DeliveryKind;
  readonly archivedAt: Date;
  readonly attempts: number;
  readonly lastOutcome: string | undefined;
  /** Set for a parked delivery. */
  readonly parkedAt: Date | undefined;
  /** Latest time of the next attempt of a parked delivery. */
  readonly parkedUntil: Date | undefined;
  /** Id of the event that replaced it. */
  readonly replacedBy: string | undefined;
  /** Why a rule or a silence withheld it. */
  readonly withheld: WithheldReason | undefined;
  /** Id of the digest that has its event. */
  readonly digestId: string | undefined;
}
