import type { Database } from '@ssb/database';
import type { AlertOutbox, DueQuery, PendingAlert, Settlement } from './outbox.port.js';

interface DueRow {
  event_id: string;
  sink: string;
  alert: boolean;
  type: string;
  subject: string;
  sequence: string;
  channel: string;
  message_id: string;
  signer: string;
  time: string;
  detected_at: string;
  archived_at: Date;
  attempts: number;
  event: string;
}

/** The alert outbox in SQL. */
export class SqlOutbox implements AlertOutbox {
  constructor(private readonly database: Database) {}

  async due({ sink, now, exceptSubjects, subjects, perSubject }: DueQuery): Promise<PendingAlert[]> {
    const rows = await this.database.query<DueRow>(
      `WITH first_pending AS (
         SELECT DISTINCT ON (subject) subject, position, next_attempt_at
         FROM alert_outbox WHERE sink = $1 AND delivered_at IS NULL
         ORDER BY subject, sequence, position
       ), ready AS (
         SELECT subject, position FROM first_pending
         WHERE next_attempt_at <= $2 AND NOT (subject = ANY ($3::text[]))
         ORDER BY position LIMIT $4
       )
       SELECT each.event_id, each.sink, each.alert, each.subject, each.sequence, each.attempts, archive.type, archive.channel,
              archive.message_id, archive.signer, archive.time, archive.detected_at, archive.archived_at, archive.event
       FROM ready CROSS JOIN LATERAL (
         SELECT * FROM alert_outbox
         WHERE sink = $1 AND delivered_at IS NULL AND alert_outbox.subject = ready.subject
         ORDER BY sequence, alert_outbox.position LIMIT $5
       ) AS each JOIN archive USING (event_id)
       ORDER BY ready.position, each.sequence, each.position`,
      [sink, now, exceptSubjects, subjects, perSubject],
    );
    return rows.map(pendingAlert);
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    await this.database.query(
      `UPDATE alert_outbox SET attempts = given.attempts::integer, last_outcome = given.outcome,
              next_attempt_at = coalesce(nullif(given.next, '')::timestamptz, next_attempt_at),
              delivered_at = CASE given.next WHEN '' THEN given.at::timestamptz END
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
         AS given (event_id, sink, attempts, outcome, at, next)
       WHERE alert_outbox.event_id = given.event_id AND alert_outbox.sink = given.sink AND delivered_at IS NULL`,
      [
        settlements.map(({ eventId }) => eventId),
        settlements.map(({ sink }) => sink),
        settlements.map(({ attempts }) => String(attempts)),
        settlements.map(({ outcome }) => outcome),
        settlements.map(({ at }) => at.toISOString()),
        settlements.map(({ nextAttemptAt }) => nextAttemptAt?.toISOString() ?? ''),
      ],
    );
  }

  async nextAttemptAt(sink: string, now: Date): Promise<Date | undefined> {
    const [row] = await this.database.query<{ next: Date | null }>(
      `SELECT min(next_attempt_at) AS next FROM alert_outbox
       WHERE sink = $1 AND delivered_at IS NULL AND next_attempt_at > $2`,
      [sink, now],
    );
    return row?.next ?? undefined;
  }

  async depth(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ sink: string; depth: number }>(
      'SELECT sink, count(*)::integer AS depth FROM alert_outbox WHERE delivered_at IS NULL GROUP BY sink',
    );
    return new Map(rows.map(({ sink, depth }) => [sink, depth]));
  }
}

function pendingAlert(row: DueRow): PendingAlert {
  return {
    eventId: row.event_id,
    sink: row.sink,
    alert: row.alert,
    type: row.type,
    subject: row.subject,
    sequence: row.sequence,
    channel: row.channel,
    messageId: row.message_id,
    signer: row.signer,
    publishedAt: row.time,
    detectedAt: row.detected_at,
    archivedAt: row.archived_at,
    attempts: row.attempts,
    text: row.event,
  };
}
