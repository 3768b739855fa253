import type { Database } from '@ssb/database';
import { LeaseLostError } from '../replica/reader-lease.js';

/** An archived event on its way to one sink. */
export interface PendingAlert {
  readonly eventId: string;
  readonly sink: string;
  /** True: stands out as an alert; false: a notice. */
  readonly alert: boolean;
  readonly type: string;
  readonly subject: string;
  /** Order within the subject; sorts as text. */
  readonly sequence: string;
  readonly channel: string;
  readonly messageId: string;
  readonly signer: string;
  /** RFC 3339: when the operator published the fact, when the poller held it. */
  readonly publishedAt: string;
  readonly detectedAt: string;
  readonly archivedAt: Date;
  /** Attempts that have failed so far. */
  readonly attempts: number;
  /** The CloudEvent as it was archived, to the byte. */
  readonly text: string;
}

/** The outcome of an attempt: delivered, or tried again at a time. */
export interface AttemptOutcome {
  readonly eventId: string;
  readonly subject: string;
  readonly attempts: number;
  /** The outcome in a few words. */
  readonly outcome: string;
  readonly at: Date;
  /** Undefined: delivered. */
  readonly nextAttemptAt: Date | undefined;
}

export interface ClaimQuery {
  readonly sink: string;
  /** Fencing token of the replica's term. */
  readonly term: number;
  readonly now: Date;
  /** At most so many subjects, those that wait longest first. */
  readonly subjects: number;
  /** At most so many alerts of each. */
  readonly perSubject: number;
  /** Subjects that the replica has claimed and still works on. Other claims of its own are from a claim whose answer was lost. */
  readonly held: readonly string[];
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
  signer: string;
  time: string;
  detected_at: string;
  archived_at: Date;
  attempts: number;
  event: string;
}

/** The replica's term has not ended, by the database's clock. */
const TERM_HOLDS =
  'EXISTS (SELECT 1 FROM replica WHERE fencing_token = $1 AND expires_at > clock_timestamp())';

/**
 * Alerts that were committed together with their event and are not delivered yet; `Archive.record` writes them. A replica claims a subject
 * before it delivers the subject's alerts to a sink: one replica at a time attempts them, in order. A claim ends with the replica's term.
 */
export class AlertOutbox {
  constructor(private readonly database: Database) {}

  /**
   * Claims subjects whose first pending alert is due and returns their pending alerts in order (sequence, then arrival). A subject whose
   * first alert has to wait is left alone, so that no later event overtakes it.
   */
  async claim(query: ClaimQuery): Promise<PendingAlert[]> {
    const { sink, term, now, subjects, held } = query;
    const claimed = await this.database.query<{ subject: string }>(
      `INSERT INTO subject_claim (sink, subject, claimed_by)
       SELECT $2, subject, $1 FROM alert_outbox AS due
       WHERE sink = $2 AND delivered_at IS NULL AND next_attempt_at <= $3 AND ${TERM_HOLDS}
         AND NOT (subject = ANY ($5::text[]))
         AND NOT EXISTS (SELECT 1 FROM subject_claim AS c
                         WHERE c.sink = $2 AND c.subject = due.subject AND c.claimed_by <> $1)
         AND NOT EXISTS (SELECT 1 FROM alert_outbox AS earlier
                         WHERE earlier.sink = $2 AND earlier.delivered_at IS NULL AND earlier.subject = due.subject
                           AND (earlier.sequence, earlier.position) < (due.sequence, due.position))
       ORDER BY next_attempt_at, position LIMIT $4
       ON CONFLICT (sink, subject) DO UPDATE SET claimed_by = $1 WHERE subject_claim.claimed_by = $1
       RETURNING subject`,
      [term, sink, now, subjects, held],
    );
    if (claimed.length === 0) return [];
    const names = claimed.map(({ subject }) => subject);
    // Read after the claim: another replica may have delivered alerts that the first statement still saw as pending.
    const alerts = await this.pending(query, names);
    const taken = new Set(alerts.map(({ subject }) => subject));
    const none = names.filter((name) => !taken.has(name));
    if (none.length > 0) await this.release(sink, term, none);
    return alerts;
  }

  /**
   * Records the outcomes of attempts to one sink, and ends the claims on subjects. Durable when it resolves; a repeat is harmless.
   * @param finished subjects on which the replica makes no further attempt for now
   * @throws LeaseLostError when the replica's term is over: no outcome was recorded
   */
  async record(
    sink: string,
    term: number,
    outcomes: readonly AttemptOutcome[],
    finished: readonly string[],
  ): Promise<void> {
    const [row] = await this.database.query<{ holds: boolean }>(
      `WITH given AS (
         SELECT * FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
           AS given (event_id, attempts, outcome, at, next)
       ), recorded AS (
         UPDATE alert_outbox SET attempts = given.attempts::integer, last_outcome = given.outcome,
                next_attempt_at = coalesce(nullif(given.next, '')::timestamptz, next_attempt_at),
                delivered_at = CASE given.next WHEN '' THEN given.at::timestamptz END
         FROM given
         WHERE alert_outbox.event_id = given.event_id AND alert_outbox.sink = $2 AND delivered_at IS NULL AND ${TERM_HOLDS}
           AND EXISTS (SELECT 1 FROM subject_claim AS c
                       WHERE c.sink = $2 AND c.subject = alert_outbox.subject AND c.claimed_by = $1)
       ), released AS (
         DELETE FROM subject_claim WHERE sink = $2 AND claimed_by = $1 AND subject = ANY ($8::text[])
       )
       SELECT ${TERM_HOLDS} AS holds`,
      [
        term,
        sink,
        outcomes.map(({ eventId }) => eventId),
        outcomes.map(({ attempts }) => String(attempts)),
        outcomes.map(({ outcome }) => outcome),
        outcomes.map(({ at }) => at.toISOString()),
        outcomes.map(({ nextAttemptAt }) => nextAttemptAt?.toISOString() ?? ''),
        finished,
      ],
    );
    if (row?.holds !== true) throw new LeaseLostError();
  }

  /** The next moment after `now` at which a waiting alert comes due; undefined when none waits. */
  async nextAttemptAt(sink: string, now: Date): Promise<Date | undefined> {
    const [row] = await this.database.query<{ next: Date | null }>(
      `SELECT min(next_attempt_at) AS next FROM alert_outbox
       WHERE sink = $1 AND delivered_at IS NULL AND next_attempt_at > $2`,
      [sink, now],
    );
    return row?.next ?? undefined;
  }

  /** How many alerts are pending, by sink, also for sinks that the configuration no longer names. */
  async depth(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ sink: string; depth: number }>(
      'SELECT sink, count(*)::integer AS depth FROM alert_outbox WHERE delivered_at IS NULL GROUP BY sink',
    );
    return new Map(rows.map(({ sink, depth }) => [sink, depth]));
  }

  private async pending(
    { sink, term, now, perSubject }: ClaimQuery,
    subjects: readonly string[],
  ): Promise<PendingAlert[]> {
    const rows = await this.database.query<PendingRow>(
      `SELECT event_id, sink, alert, each.subject, each.sequence, attempts, archive.type, archive.channel, archive.message_id,
              archive.signer, archive.time, archive.detected_at, archive.archived_at, archive.event
       FROM unnest($5::text[]) WITH ORDINALITY AS claimed (subject, place) CROSS JOIN LATERAL (
         SELECT *, first_value(next_attempt_at) OVER (ORDER BY sequence, position) AS first_attempt_at FROM (
           SELECT * FROM alert_outbox
           WHERE sink = $2 AND delivered_at IS NULL AND alert_outbox.subject = claimed.subject
           ORDER BY sequence, position LIMIT $4
         ) AS head
       ) AS each JOIN archive USING (event_id)
       WHERE first_attempt_at <= $3 AND ${TERM_HOLDS}
       ORDER BY place, each.sequence, each.position`,
      [term, sink, now, perSubject, subjects],
    );
    return rows.map(pendingAlert);
  }

  private async release(sink: string, term: number, subjects: readonly string[]): Promise<void> {
    await this.database.query(
      'DELETE FROM subject_claim WHERE sink = $1 AND claimed_by = $2 AND subject = ANY ($3::text[])',
      [sink, term, subjects],
    );
  }
}

function pendingAlert(row: PendingRow): PendingAlert {
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
