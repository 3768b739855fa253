import type { Database } from '@ssb/database';
import type { Mark } from '../domain/marks.js';
import { LeaseLostError } from '../replica/reader-lease.js';

/** An archived event that one sink has not received yet. */
export interface PendingAlert {
  readonly eventId: string;
  readonly sink: string;
  /** True: an alert; false: a notice. */
  readonly alert: boolean;
  readonly type: string;
  readonly subject: string;
  /** Order within the subject; sorts as text. */
  readonly sequence: string;
  readonly channel: string;
  readonly messageId: string;
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
  /** Delay before the next attempt; undefined when delivered. */
  readonly retryAfterMs: number | undefined;
}

/** The pending alerts of one sink. */
export interface PendingSummary {
  readonly depth: number;
  /** Time since the oldest was archived. */
  readonly oldestSeconds: number;
}

export interface ClaimQuery {
  readonly sink: string;
  /** Fencing token of the replica's term. */
  readonly term: number;
  /** Maximum number of subjects, longest waiting first. */
  readonly subjects: number;
  /** Maximum number of alerts per subject. */
  readonly perSubject: number;
  /** Subjects that this term already processes. Other subjects claimed by the term were lost with an answer and are returned again. */
  readonly subjectsInProcess: readonly string[];
}

interface PendingRow {
  event_id: string;
  sink: string;
  alert: boolean;
  type: string;
  subject: string;
  sequence: string;
  channel: string;
  message_id: string;
  origin: string;
  time: string;
  detected_at: string;
  archived_at: Date;
  marks: Mark[];
  attempts: number;
  event: string;
}

/** The replica's term has not ended, by the database's clock. */
const TERM_IS_ACTIVE =
  'EXISTS (SELECT 1 FROM replica WHERE fencing_token = $1 AND expires_at > clock_timestamp())';

/** Like `claimed_by = $1`, but avoids the index of claims, which has many outdated entries. */
const CLAIMED_HERE = 'claimed_by IS NOT DISTINCT FROM $1';

/** Like `delivered_at IS NULL`, but avoids the index of pending alerts, which a server without statistics prefers to the primary key. */
const NOT_DELIVERED = "coalesce(delivered_at, 'infinity') = 'infinity'";

/**
 * Alerts to be delivered; `Archive.recordEntries` adds them. A replica claims a subject for one sink until the end of its term at most, and
 * delivers its alerts in order.
 */
export class AlertOutbox {
  constructor(private readonly database: Database) {}

  /**
   * Claims due subjects and returns their pending alerts in order (sequence, then arrival). A subject whose first alert waits for a retry is
   * not due, so no later event overtakes it.
   */
  async claim(query: ClaimQuery): Promise<PendingAlert[]> {
    const { sink, term, subjects, subjectsInProcess } = query;
    const claimed = await this.database.query<{ subject: string; pending: number }>(
      `WITH due AS (
         SELECT subject FROM alert_subject
         WHERE sink = $2 AND pending > 0 AND next_attempt_at <= statement_timestamp() AND ${TERM_IS_ACTIVE}
           AND subject <> ALL ($4::text[]) AND (claimed_by IS NULL OR claimed_by = $1)
         ORDER BY next_attempt_at, subject LIMIT $3 FOR UPDATE SKIP LOCKED
       ), claimed AS (
         UPDATE alert_subject SET claimed_by = $1 FROM due
         WHERE sink = $2 AND alert_subject.subject = due.subject RETURNING alert_subject.*
       )
       SELECT subject, pending FROM claimed ORDER BY next_attempt_at, subject`,
      [term, sink, subjects, subjectsInProcess],
    );
    if (claimed.length === 0) return [];
    // A separate statement: another replica may have delivered alerts that the first statement still saw as pending.
    const alerts = await this.findPending(
      query,
      claimed.map(({ subject }) => subject),
    );
    const found = new Set(alerts.map(({ subject }) => subject));
    const empty = claimed.filter(({ subject }) => !found.has(subject));
    if (empty.length > 0) await this.releaseEmpty(sink, term, empty);
    return alerts;
  }

  /**
   * Records results of attempts to one sink and releases subjects, durably and idempotently. Results for subjects that the replica has not
   * claimed are ignored.
   * @throws LeaseLostError when the replica's term has ended; nothing was recorded
   */
  async recordResults(
    sink: string,
    term: number,
    results: readonly AttemptResult[],
    releasedSubjects: readonly string[],
  ): Promise<void> {
    const [row] = await this.database.query<{ active: boolean }>(
      `WITH given AS (
         SELECT * FROM unnest($3::text[], $4::text[], $5::integer[], $6::text[], $7::timestamptz[], $8::double precision[])
           AS given (event_id, subject, attempts, outcome, at, retry_ms)
       ), claimed AS (
         SELECT subject FROM alert_subject
         WHERE sink = $2 AND subject = ANY ($4::text[] || $9::text[]) AND ${CLAIMED_HERE} AND ${TERM_IS_ACTIVE}
         ORDER BY subject FOR UPDATE
       ), recorded AS (
         UPDATE alert_outbox SET attempts = given.attempts, last_outcome = given.outcome,
                delivered_at = CASE WHEN retry_ms IS NULL THEN at END
         FROM given JOIN claimed USING (subject)
         WHERE alert_outbox.event_id = given.event_id AND sink = $2 AND ${NOT_DELIVERED}
         RETURNING claimed.subject, retry_ms
       ), progress AS (
         SELECT subject, count(*) FILTER (WHERE retry_ms IS NULL) AS delivered, coalesce(max(retry_ms), 0) AS wait_ms
         FROM recorded GROUP BY subject
       ), changed AS (
         UPDATE alert_subject AS known SET
           pending = pending - coalesce(delivered, 0),
           next_attempt_at = coalesce(clock_timestamp() + make_interval(secs => wait_ms / 1000), next_attempt_at),
           claimed_by = CASE WHEN known.subject = ANY ($9) THEN NULL ELSE claimed_by END
         FROM claimed LEFT JOIN progress USING (subject)
         WHERE sink = $2 AND known.subject = claimed.subject
       )
       SELECT ${TERM_IS_ACTIVE} AS active`,
      [
        term,
        sink,
        results.map(({ eventId }) => eventId),
        results.map(({ subject }) => subject),
        results.map(({ attempts }) => attempts),
        results.map(({ description }) => description),
        results.map(({ at }) => at),
        results.map(({ retryAfterMs }) => retryAfterMs ?? null),
        releasedSubjects,
      ],
    );
    if (row?.active !== true) throw new LeaseLostError();
  }

  /** Milliseconds until the next unclaimed subject is due, 0 or less when one is due; undefined when none has pending alerts. */
  async nextDueMs(sink: string): Promise<number | undefined> {
    const [row] = await this.database.query<{ wait: number | null }>(
      `SELECT (extract(epoch FROM min(next_attempt_at) - clock_timestamp()) * 1000)::double precision AS wait
       FROM alert_subject WHERE sink = $1 AND pending > 0 AND claimed_by IS NULL`,
      [sink],
    );
    return row?.wait ?? undefined;
  }

  /** The pending alerts of each sink that has any, also of one that is no longer configured. Only the first alert of each subject is read. */
  async summarisePending(): Promise<ReadonlyMap<string, PendingSummary>> {
    const rows = await this.database.query<{ sink: string } & PendingSummary>(
      `SELECT known.sink, sum(pending)::integer AS depth,
              coalesce(extract(epoch FROM clock_timestamp() - min(archived_at)), 0)::double precision AS "oldestSeconds"
       FROM alert_subject AS known LEFT JOIN LATERAL (
         SELECT event_id FROM alert_outbox AS head
         WHERE head.sink = known.sink AND head.subject = known.subject AND delivered_at IS NULL
         ORDER BY sequence, position LIMIT 1
       ) AS first ON true LEFT JOIN archive USING (event_id)
       WHERE pending > 0 GROUP BY known.sink`,
    );
    return new Map(rows.map(({ sink, ...summary }) => [sink, summary]));
  }

  /** Corrects subjects whose alerts were deleted manually. Otherwise they would be claimed repeatedly. */
  private async releaseEmpty(
    sink: string,
    term: number,
    subjects: readonly { readonly subject: string; readonly pending: number }[],
  ): Promise<void> {
    await this.database.query(
      `UPDATE alert_subject AS known SET claimed_by = NULL, pending = known.pending - empty.pending
       FROM unnest($3::text[], $4::integer[]) AS empty (subject, pending)
       WHERE sink = $2 AND known.subject = empty.subject AND claimed_by = $1 AND ${TERM_IS_ACTIVE}`,
      [term, sink, subjects.map(({ subject }) => subject), subjects.map(({ pending }) => pending)],
    );
  }

  private async findPending(
    { sink, term, perSubject }: ClaimQuery,
    subjects: readonly string[],
  ): Promise<PendingAlert[]> {
    const rows = await this.database.query<PendingRow>(
      `SELECT event_id, sink, alert, head.subject, head.sequence, attempts, archive.type, archive.channel, archive.message_id,
              archive.origin, archive.time, archive.detected_at, archive.archived_at, archive.marks, archive.event
       FROM unnest($4::text[]) WITH ORDINALITY AS claimed (subject, place) CROSS JOIN LATERAL (
         SELECT * FROM alert_outbox
         WHERE sink = $2 AND delivered_at IS NULL AND alert_outbox.subject = claimed.subject
         ORDER BY sequence, position LIMIT $3
       ) AS head JOIN archive USING (event_id)
       WHERE ${TERM_IS_ACTIVE}
       ORDER BY place, head.sequence, head.position`,
      [term, sink, perSubject, subjects],
    );
    return rows.map(toPendingAlert);
  }
}

function toPendingAlert(row: PendingRow): PendingAlert {
  return {
    eventId: row.event_id,
    sink: row.sink,
    alert: row.alert,
    type: row.type,
    subject: row.subject,
    sequence: row.sequence,
    channel: row.channel,
    messageId: row.message_id,
    origin: row.origin,
    factTime: row.time,
    detectedAt: row.detected_at,
    archivedAt: row.archived_at,
    marks: row.marks,
    attempts: row.attempts,
    text: row.event,
  };
}
