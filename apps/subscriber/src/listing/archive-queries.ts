import type { SqlSession } from '@ssb/postgres';
import { HEARTBEAT_TYPE } from '@ssb/config';
import { ARCHIVED_DELIVERIES, typeOf } from '../deliveries/outbox/pending-delivery.js';
import type { ArchivedEvent, Page, QuarantinedMessage, Undelivered } from './listed-entries.js';

/** A row as the driver returns it: a bigint is text, and null stands for undefined. */
type Row<Entry> = {
  readonly [Column in keyof Entry]: Entry[Column] extends bigint
    ? string
    : undefined extends Entry[Column]
      ? Exclude<Entry[Column], undefined> | null
      : Entry[Column];
};

/** Reads archive and quarantine in pages. */
export class ArchiveQueries {
  constructor(private readonly database: SqlSession) {}

  /** Heartbeats are left out. */
  async listArchived({ after = 0n, limit }: Page): Promise<ArchivedEvent[]> {
    const rows = await this.database.query<Row<ArchivedEvent>>(
      `SELECT archive_offset::text AS "offset", event_id AS "eventId", type, subject, participant, sequence, time, channel,
              message_id AS "messageId", sender, origin, signature, appended_at_nanos::text AS "appendedAtNanos",
              archived_at AS "archivedAt", marks, event AS text
       FROM archive WHERE archive_offset > $1 AND type <> $3 ORDER BY archive.archive_offset LIMIT $2`,
      [after, limit, HEARTBEAT_TYPE],
    );
    return rows.map((row) => ({
      ...row,
      offset: BigInt(row.offset),
      appendedAtNanos: BigInt(row.appendedAtNanos),
    }));
  }

  async listQuarantined({ after = 0n, limit }: Page): Promise<QuarantinedMessage[]> {
    const rows = await this.database.query<Row<QuarantinedMessage>>(
      `SELECT quarantine_offset::text AS "offset", channel, message_id AS "messageId", topic, transaction_id AS "transactionId", sender,
              signature, appended_at_nanos::text AS "appendedAtNanos", reason, detail, payload, payload_bytes AS "payloadBytes",
              quarantined_at AS "quarantinedAt", released_at AS "releasedAt"
       FROM quarantine WHERE quarantine_offset > $1 ORDER BY quarantine.quarantine_offset LIMIT $2`,
      [after, limit],
    );
    return rows.map(({ topic, transactionId, releasedAt, ...row }) => ({
      ...row,
      offset: BigInt(row.offset),
      topic: topic ?? undefined,
      transactionId: transactionId ?? undefined,
      appendedAtNanos: BigInt(row.appendedAtNanos),
      releasedAt: releasedAt ?? undefined,
    }));
  }

  /** Deliveries that are pending or parked, and those that were replaced, skipped or withheld and are in no delivered digest, in order of arrival. A page may be longer than its limit. */
  async listUndelivered({ after = 0n, limit }: Page): Promise<Undelivered[]> {
    const rows = await this.database.query<Row<Undelivered>>(
      `SELECT archive.archive_offset::text AS "offset",
              delivery_state(delivery) AS state,
              sink, delivery.event_id AS "eventId", ${typeOf('delivery')} AS type, delivery.subject, kind,
              archived_at AS "archivedAt", attempts, last_outcome AS "lastOutcome",
              CASE WHEN parked_until IS NOT NULL THEN parked_at END AS "parkedAt", parked_until AS "parkedUntil",
              replaced_by AS "replacedBy", withheld, digest_id AS "digestId"
       FROM ${ARCHIVED_DELIVERIES}
       WHERE archive.archive_offset > $1 AND delivery_state(delivery) <> 'delivered'
       ORDER BY archive.archive_offset FETCH FIRST ($2::bigint) ROWS WITH TIES`,
      [after, limit],
    );
    return rows.map((row) => ({
      ...row,
      offset: BigInt(row.offset),
      lastOutcome: row.lastOutcome ?? undefined,
      parkedAt: row.parkedAt ?? undefined,
      parkedUntil: row.parkedUntil ?? undefined,
      replacedBy: row.replacedBy ?? undefined,
      withheld: row.withheld ?? undefined,
      digestId: row.digestId ?? undefined,
    }));
  }
}
