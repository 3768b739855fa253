import type { Database } from '@ssb/postgres';
import type { Priority } from '../domain/delivery-order.js';
import { LeaseLostError } from '../../replica/reader-lease.js';
import { TERM_IS_ACTIVE } from '../../replica/replica-lease.js';
import {
  CAN_BE_CLAIMED,
  CLAIM_DUE,
  CLAIMED_HERE,
  ClaimedSubjects,
  type ClaimedRow,
  type ProbeQuery,
} from './claimed-subjects.js';
import { claimProbe } from './claim-probe.js';
import type { AttemptResult, ClaimedSubject } from './pending-delivery.js';
import { FIRST_RETRY_SECONDS, PARKED_RETRY_SECONDS } from './parked-deliveries.js';
import { SINK_IS_FAILING } from './sink-states.js';

/*
 * A delivery is one event for one sink: a row of the table `delivery`.
 *
 *   pending    It waits, or a replica attempts it. A failed attempt leaves it pending, with a growing delay for its subject.
 *   delivered  The sink accepted it.
 *   parked     The sink refused it (status 400, 401, 403, 404, 410, 413, 422 or similar). It does not block later ones. It is attempted again every
 *              ten minutes, and when its sink accepts another delivery.
 *   replaced   Its event announces a state, and a newer event of the subject for the same sink replaced it while it was pending.
 *
 * pending → delivered | parked | replaced; parked → delivered. A parked delivery is not replaced, because a person must learn of the refusal.
 *
 * Deliveries of a subject are attempted one at a time: urgent ones first (margin.breached and credit-support.short, which are never replaced),
 * then by sequence. Subjects are claimed by priority: those with an urgent delivery, with an alert, with notices only; then the longest waiting.
 * While a sink fails (sink-states.ts), one delivery at a time is attempted, and a refused one is parked as well.
 */

/** The pending deliveries of one sink. */
export interface PendingSummary {
  readonly depth: number;
  /** Time since the oldest was archived. */
  readonly oldestSeconds: number;
}

export interface ClaimQuery extends ProbeQuery {
  /** Subjects of this priority and of more urgent ones. */
  readonly lowest: Priority;
  /** Maximum number of subjects. */
  readonly subjects: number;
  /** Maximum number of deliveries per subject. */
  readonly perSubject: number;
}

/** When a sink can be attempted next. */
export interface NextAttempt {
  /** Milliseconds until an unclaimed subject is due, 0 or less when one is; undefined without pending deliveries. */
  readonly dueMs: number | undefined;
  /** Milliseconds until the next probe; undefined unless the sink fails. */
  readonly probeMs: number | undefined;
}

/** Like `delivered_at IS NULL`, but avoids the index of pending deliveries, which a server without statistics prefers to the primary key. */
const NOT_DELIVERED = "coalesce(delivered_at, 'infinity') = 'infinity' AND parked_until IS NULL";

/**
 * The deliveries, which `Archive.recordEntries` adds. A replica claims a subject for one sink until the end of its term at most, and delivers
 * its events in order.
 */
export class DeliveryOutbox {
  private readonly claimed: ClaimedSubjects;

  constructor(private readonly database: Database) {
    this.claimed = new ClaimedSubjects(database);
  }

  /**
   * Claims due subjects of a sink that does not fail, and returns their pending deliveries in order. A subject whose first delivery waits for a retry
   * is not due, so no later event overtakes it, except an urgent one.
   */
  async claim(query: ClaimQuery): Promise<ClaimedSubject[]> {
    const { sink, term, lowest, subjects, subjectsInProcess } = query;
    const claimed = await this.database.query<ClaimedRow>(
      `WITH due AS (
         SELECT subject FROM delivery_subject AS known
         WHERE ${CAN_BE_CLAIMED} AND priority <= $4 AND NOT ${SINK_IS_FAILING}
         ORDER BY priority, next_attempt_at, subject LIMIT $5 FOR UPDATE SKIP LOCKED
       ), ${CLAIM_DUE}`,
      [term, sink, subjectsInProcess, lowest, subjects],
    );
    return this.claimed.read(query, claimed);
  }

  /** Claims one subject of a failing sink when a probe is due. */
  claimProbe(query: ProbeQuery): Promise<ClaimedSubject[]> {
    return claimProbe(this.database, this.claimed, query);
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
         SELECT * FROM unnest($3::text[], $4::text[], $5::integer[], $6::text[], $7::timestamptz[], $8::double precision[], $10::text[])
           AS given (event_id, subject, attempts, outcome, at, retry_ms, verdict)
       ), claimed AS (
         SELECT subject FROM delivery_subject
         WHERE sink = $2 AND subject = ANY ($4::text[] || $9::text[]) AND ${CLAIMED_HERE} AND ${TERM_IS_ACTIVE}
         ORDER BY subject FOR UPDATE
       ), recorded AS (
         UPDATE delivery SET attempts = given.attempts, last_outcome = given.outcome,
                delivered_at = CASE verdict WHEN 'delivered' THEN at WHEN 'refused' THEN 'infinity' END,
                parked_at = CASE verdict WHEN 'refused' THEN at END,
                parked_until = CASE verdict WHEN 'refused' THEN clock_timestamp() + make_interval(secs => ${PARKED_RETRY_SECONDS}) END,
                retry_from = CASE verdict WHEN 'refused' THEN clock_timestamp() + make_interval(secs => ${FIRST_RETRY_SECONDS}) END
         FROM given JOIN claimed USING (subject)
         WHERE delivery.event_id = given.event_id AND sink = $2 AND ${NOT_DELIVERED}
         RETURNING claimed.subject, retry_ms, kind, urgent
       ), progress AS (
         SELECT subject, coalesce(max(retry_ms), 0) AS wait_ms, count(*) FILTER (WHERE retry_ms IS NULL) AS done,
                count(*) FILTER (WHERE retry_ms IS NULL AND kind = 'alert') AS alerts, count(*) FILTER (WHERE retry_ms IS NULL AND urgent) AS urgent
         FROM recorded GROUP BY subject
       ), changed AS (
         UPDATE delivery_subject AS known SET
           pending = pending - coalesce(done, 0),
           alerts = greatest(0, known.alerts - coalesce(progress.alerts, 0)),
           urgent = greatest(0, known.urgent - coalesce(progress.urgent, 0)),
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
        results.map(({ verdict }) => (verdict.kind === 'failed' ? verdict.retryAfterMs : null)),
        releasedSubjects,
        results.map(({ verdict }) => verdict.kind),
      ],
    );
    if (row?.active !== true) throw new LeaseLostError();
  }

  /** @param lowest considers subjects of this priority and of more urgent ones */
  async nextAttempt(sink: string, lowest: Priority): Promise<NextAttempt> {
    const [row] = await this.database.query<{ due: number | null; probe: number | null }>(
      `SELECT (extract(epoch FROM min(first.next_attempt_at) - clock_timestamp()) * 1000)::double precision AS due,
              (SELECT (extract(epoch FROM probe_at - clock_timestamp()) * 1000)::double precision
               FROM sink_state WHERE sink = $1 AND failing_since IS NOT NULL) AS probe
       FROM unnest('{0,1,2}'::smallint[]) AS each (priority) CROSS JOIN LATERAL (
         SELECT next_attempt_at FROM delivery_subject
         WHERE sink = $1 AND delivery_subject.priority = each.priority AND pending > 0 AND claimed_by IS NULL
         ORDER BY next_attempt_at LIMIT 1
       ) AS first WHERE each.priority <= $2`,
      [sink, lowest],
    );
    return { dueMs: row?.due ?? undefined, probeMs: row?.probe ?? undefined };
  }

  /** The pending deliveries of each sink that has any, configured or not. Only the first delivery of each subject is read. */
  async summarisePending(): Promise<ReadonlyMap<string, PendingSummary>> {
    const rows = await this.database.query<{ sink: string } & PendingSummary>(
      `SELECT known.sink, sum(pending)::integer AS depth,
              coalesce(extract(epoch FROM clock_timestamp() - min(archived_at)), 0)::double precision AS "oldestSeconds"
       FROM delivery_subject AS known LEFT JOIN LATERAL (
         SELECT event_id FROM delivery AS head
         WHERE head.sink = known.sink AND head.subject = known.subject AND delivered_at IS NULL
         ORDER BY sequence, archive_offset LIMIT 1
       ) AS first ON true LEFT JOIN archive USING (event_id)
       WHERE pending > 0 GROUP BY known.sink`,
    );
    return new Map(rows.map(({ sink, ...summary }) => [sink, summary]));
  }
}
