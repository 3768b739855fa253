import type { Priority } from '../domain/delivery-order.js';
import type { Verdict } from '../domain/delivery-policy.js';
import { toDeliveryKind, type DeliveryKind } from '../../domain/delivery-kind.js';
import type { Mark } from '../../domain/marks.js';

/** An archived event that one sink has not received yet. */
export interface PendingDelivery {
  readonly eventId: string;
  readonly sink: string;
  readonly kind: DeliveryKind;
  /** Sent before all others, and never replaced. */
  readonly urgent: boolean;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  /** Order within the subject; sorts as text. */
  readonly sequence: string;
  readonly channel: string;
  readonly messageId: string;
  /** DID of the gateway that posted the message. */
  readonly sender: string;
  readonly signature: string;
  /** DID of the bridge that signed the event. */
  readonly origin: string;
  /** Time of the fact (CloudEvents "time"), RFC 3339 with offset. */
  readonly factTime: string;
  /** When the poller detected it, RFC 3339. */
  readonly detectedAt: string;
  readonly archivedAt: Date;
  readonly marks: readonly Mark[];
  /** Failed attempts so far. */
  readonly attempts: number;
  /** The archived CloudEvent, byte for byte. */
  readonly text: string;
}

/** The result of one attempt, as the outbox records it. */
export interface AttemptResult {
  readonly eventId: string;
  readonly subject: string;
  readonly attempts: number;
  /** Short text for the operator. */
  readonly description: string;
  readonly at: Date;
  readonly verdict: Verdict;
}

/** Due deliveries of one subject, which this replica has claimed, in the order in which they are attempted. */
export interface ClaimedSubject {
  readonly subject: string;
  readonly priority: Priority;
  readonly deliveries: readonly PendingDelivery[];
  /** Older deliveries of the subject that a newer one has replaced. */
  readonly replaced: number;
}

export interface PendingRow {
  event_id: string;
  sink: string;
  alert: boolean;
  urgent: boolean;
  type: string;
  subject: string;
  sequence: string;
  channel: string;
  message_id: string;
  participant: string;
  sender: string;
  signature: string;
  origin: string;
  time: string;
  detected_at: string;
  archived_at: Date;
  marks: Mark[];
  attempts: number;
  event: string;
}

/** Of a row of alert_outbox under this alias, joined with its archive row. */
export const pendingColumns = (alias: string): string =>
  `${alias}.event_id, ${alias}.sink, ${alias}.alert, ${alias}.urgent, ${alias}.subject, ${alias}.sequence, ${alias}.attempts, archive.type,
   archive.channel, archive.message_id, archive.participant, archive.sender, archive.signature, archive.origin, archive.time, archive.detected_at, archive.archived_at, archive.marks, archive.event`;

export function toPendingDelivery(row: PendingRow): PendingDelivery {
  return {
    eventId: row.event_id,
    sink: row.sink,
    kind: toDeliveryKind(row.alert),
    urgent: row.urgent,
    type: row.type,
    subject: row.subject,
    participant: row.participant,
    sequence: row.sequence,
    channel: row.channel,
    messageId: row.message_id,
    sender: row.sender,
    signature: row.signature,
    origin: row.origin,
    factTime: row.time,
    detectedAt: row.detected_at,
    archivedAt: row.archived_at,
    marks: row.marks,
    attempts: row.attempts,
    text: row.event,
  };
}
