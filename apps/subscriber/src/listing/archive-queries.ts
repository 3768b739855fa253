import type { SqlSession } from '@ssb/postgres';
import { HEARTBEAT_TYPE } from '@ssb/config';
import { toDeliveryKind } from '../domain/delivery-kind.js';
import type { Mark } from '../domain/marks.js';
import type { ArchivedEvent, Page, QuarantinedMessage, Undelivered } from './listed-entries.js';

/** Reads archive and quarantine in pages. */
export class ArchiveQueries {
  constructor(private readonly database: SqlSession) {}

  /** Heartbeats are left out. */
  async listArchived({ after = 0n, limit }: Page): Promise<ArchivedEvent[]> {
    const rows = await this.database.query<ArchiveRow>(
      `SELECT position::text, event_id, type, subject, participant, sequence, time, channel, message_id, sender, origin,
              signature, appended_at_nanos::text, archived_at, marks, event
       FROM archive WHERE position > $1 AND type <> $3 ORDER BY archive.position LIMIT $2`,
      [after, limit, HEARTBEAT_TYPE],
    );
    return rows.map(toArchivedEvent);
  }

  async listQuarantined({ after = 0n, limit }: Page): Promise<QuarantinedMessage[]> {
    const rows = await this.database.query<QuarantineRow>(
      `SELECT position::text, channel, message_id, topic, transaction_id, sender, signature, appended_at_nanos::text, reason,
              detail, payload, payload_bytes, quarantined_at, released_at
       FROM quarantine WHERE position > $1 ORDER BY quarantine.position LIMIT $2`,
      [after, limit],
    );
    return rows.map(toQuarantinedMessage);
  }

  /** Deliveries that are pending or parked, and those that were replaced, in order of arrival. A page may be longer than its limit. */
  async listUndelivered({ after = 0n, limit }: Page): Promise<Undelivered[]> {
    const rows = await this.database.query<UndeliveredRow>(
      `SELECT archive.position::text, event_id, sink, archive.type, archive.subject, alert, attempts, last_outcome, replaced_by,
              parked_at, parked_until, archived_at
       FROM archive JOIN alert_outbox USING (event_id)
       WHERE archive.position > $1 AND (delivered_at IS NULL OR parked_until IS NOT NULL OR replaced_by IS NOT NULL)
       ORDER BY archive.position FETCH FIRST ($2::bigint) ROWS WITH TIES`,
      [after, limit],
    );
    return rows.map(toUndelivered);
  }
}

interface ArchiveRow {
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

function toArchivedEvent(row: ArchiveRow): ArchivedEvent {
  return {
    offset: BigInt(row.position),
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

interface QuarantineRow {
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

function toQuarantinedMessage(row: QuarantineRow): QuarantinedMessage {
  return {
    offset: BigInt(row.position),
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

interface UndeliveredRow {
  position: string;
  event_id: string;
  sink: string;
  type: string;
  subject: string;
  alert: boolean;
  attempts: number;
  last_outcome: string | null;
  replaced_by: string | null;
  parked_at: Date | null;
  parked_until: Date | null;
  archived_at: Date;
}

function toUndelivered(row: UndeliveredRow): Undelivered {
  const isParked = row.parked_until !== null;
  return {
    offset: BigInt(row.position),
    state: isParked ? 'parked' : row.replaced_by === null ? 'pending' : 'replaced',
    sink: row.sink,
    eventId: row.event_id,
    type: row.type,
    subject: row.subject,
    kind: toDeliveryKind(row.alert),
    archivedAt: row.archived_at,
    attempts: row.attempts,
    lastOutcome: row.last_outcome ?? undefined,
    parkedAt: (isParked && row.parked_at) || undefined,
    parkedUntil: row.parked_until ?? undefined,
    replacedBy: row.replaced_by ?? undefined,
  };
}
