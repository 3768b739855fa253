import type { Mark } from '../domain/marks.js';
import type { ArchivedEvent, QuarantinedMessage } from './archive-entries.js';

export interface ArchiveRow {
  position: string;
  event_id: string;
  type: string;
  subject: string;
  participant: string;
  sequence: string;
  time: string;
  channel: string;
  message_id: string;
  sender: string;
  origin: string;
  signature: string;
  appended_at_nanos: string;
  archived_at: Date;
  marks: Mark[];
  event: string;
}

export function toArchivedEvent(row: ArchiveRow): ArchivedEvent {
  return {
    position: BigInt(row.position),
    eventId: row.event_id,
    type: row.type,
    subject: row.subject,
    participant: row.participant,
    sequence: row.sequence,
    time: row.time,
    channel: row.channel,
    messageId: row.message_id,
    sender: row.sender,
    origin: row.origin,
    signature: row.signature,
    appendedAtNanos: BigInt(row.appended_at_nanos),
    archivedAt: row.archived_at,
    marks: row.marks,
    text: row.event,
  };
}

export interface QuarantineRow {
  position: string;
  channel: string;
  message_id: string;
  topic: string | null;
  transaction_id: string | null;
  sender: string;
  signature: string;
  appended_at_nanos: string;
  reason: string;
  detail: string;
  payload: Uint8Array;
  payload_bytes: number;
  quarantined_at: Date;
  released_at: Date | null;
}

export function toQuarantinedMessage(row: QuarantineRow): QuarantinedMessage {
  return {
    position: BigInt(row.position),
    channel: row.channel,
    messageId: row.message_id,
    topic: row.topic ?? undefined,
    transactionId: row.transaction_id ?? undefined,
    sender: row.sender,
    signature: row.signature,
    appendedAtNanos: BigInt(row.appended_at_nanos),
    reason: row.reason,
    detail: row.detail,
    payload: Buffer.from(row.payload),
    payloadBytes: row.payload_bytes,
    quarantinedAt: row.quarantined_at,
    releasedAt: row.released_at ?? undefined,
  };
}
