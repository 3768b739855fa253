import { HEARTBEAT_TYPE } from '@ssb/config';
import type { SqlSession } from '@ssb/postgres';

interface ArchivedEvent {
  readonly offset: bigint;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly participant: string;
  readonly sequence: string;
  readonly time: string;
  readonly channel: string;
  readonly messageId: string;
  readonly sender: string;
  readonly origin: string;
  readonly signature: string;
  readonly appendedAtNanos: bigint;
  readonly archivedAt: Date;
  readonly marks: readonly string[];
  /** The signed CloudEvent, byte for byte. */
  readonly text: string;
}

interface QuarantinedMessage {
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
  readonly releasedAt: Date | undefined;
  readonly payload: Buffer;
  /** Size of the whole payload, bytes. */
  readonly payloadBytes: number;
}

/** A row as the driver returns it: a bigint is text, and null stands for undefined. */
type Row<Entry> = {
  readonly [Column in keyof Entry]: Entry[Column] extends bigint
    ? string
    : undefined extends Entry[Column]
      ? Exclude<Entry[Column], undefined> | null
      : Entry[Column];
};

/** What the subscriber has stored, in order of arrival. */
export class StoredEntries {
  constructor(private readonly database: SqlSession) {}

  /** Heartbeats are left out. */
  async listArchived(): Promise<ArchivedEvent[]> {
    const rows = await this.database.query<Row<ArchivedEvent>>(
      `SELECT archive_offset::text AS "offset", event_id AS "eventId", type, subject, participant, sequence, time, channel,
              message_id AS "messageId", sender, origin, signature, appended_at_nanos::text AS "appendedAtNanos",
              archived_at AS "archivedAt", marks, event AS text
       FROM archive WHERE type <> $1 ORDER BY archive_offset`,
      [HEARTBEAT_TYPE],
    );
    return rows.map((row) => ({
      ...row,
      offset: BigInt(row.offset),
      appendedAtNanos: BigInt(row.appendedAtNanos),
    }));
  }

  async listQuarantined(): Promise<QuarantinedMessage[]> {
    const rows = await this.database.query<Row<QuarantinedMessage>>(
      `SELECT channel, message_id AS "messageId", topic, transaction_id AS "transactionId", sender, signature,
              appended_at_nanos::text AS "appendedAtNanos", reason, detail, payload, payload_bytes AS "payloadBytes",
              quarantined_at AS "quarantinedAt", released_at AS "releasedAt"
       FROM quarantine ORDER BY quarantine_offset`,
    );
    return rows.map(({ topic, transactionId, releasedAt, ...row }) => ({
      ...row,
      topic: topic ?? undefined,
      transactionId: transactionId ?? undefined,
      appendedAtNanos: BigInt(row.appendedAtNanos),
      releasedAt: releasedAt ?? undefined,
    }));
  }
}
