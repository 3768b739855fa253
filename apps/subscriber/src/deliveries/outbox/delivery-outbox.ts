import { Inject, Injectable } from '@nestjs/common';
import { announcesState, isUrgent } from '@ssb/events';
import type { Database, SqlSession } from '@ssb/postgres';
import type { DecidedEntry } from '../../archive/archive-entries.js';
import { DATABASE } from '../../database/database-options.js';
import { LeaseLostError } from '../../replica/reader-lease.js';
import { TERM_IS_ACTIVE } from '../../replica/replica-lease.js';
import {
  CAN_BE_CLAIMED,
  CLAIM_DUE,
  CLAIMED_HERE,
  ClaimedSubjects,
  type ClaimedRow,
  type ClaimQuery,
  type ProbeQuery,
} from './claimed-subjects.js';
import { insertAttempts } from './attempt-table.js';
import { claimProbe } from './claim-probe.js';
import { SKIPPED_OR_REPLACED, type AttemptResult, type ClaimedSubject } from './pending-delivery.js';
import { FIRST_RETRY_SECONDS, PARKED_RETRY_SECONDS } from './parked-deliveries.js';
import { SINK_IS_CLOSED } from './sink-states.js';
import { addCounts, countDeliveries, subtractCounts } from './subject-counts.js';

/*
 * A delivery is one event for one sink: a row of the table `delivery`.
 *
 *   pending    It waits, or a replica attempts it. A failed attempt leaves it pending, with a growing delay for its subject.
 *   delivered  The sink accepted it.
 *   parked     The sink refused it (status 400, 401, 403, 404, 410, 413, 422 or similar). It does not block later ones. It is attempted again every
 *              ten minutes, and when its sink accepts another delivery.
 *   replaced   Its event announces a state, and a newer event of the subject for the same sink replaced it while it was pending.
 *              Or it is a reminder or an escalation of a problem that was acknowledged or has ended.
 *   skipped    A person requested that it is not delivered.
 *
 * pending → delivered | parked | replaced | skipped; parked → delivered | skipped. A person can make each of them pending again. A parked
 * delivery is not replaced, because a person must learn of the refusal. The attempt of a delivery that is skipped or replaced meanwhile is recorded.
 *
 * Deliveries of a subject are attempted one at a time: urgent ones first (margin.breached and credit-support.short, which are never replaced),
 * then by sequence. Subjects are claimed by priority: those with an urgent delivery, with an alert, with a notice, with replayed ones only; then the longest
 * waiting. While a sink fails (sink-states.ts), one delivery at a time is attempted, and a refused one is parked as well. While a sink is
 * disabled, none is.
 */

/** Like `delivered_at IS NULL`, but avoids the index of pending deliveries, which a server without statistics prefers to the primary key. */
const NOT_DELIVERED = "coalesce(delivered_at, 'infinity') = 'infinity' AND parked_until IS NULL";

const IS_REFUSED = `verdict = 'refused' AND NOT ${SKIPPED_OR_REPLACED}`;

/**
 * Adds the deliveries of new events to the outbox. Locks subjects in the same order as `recordResults`, which avoids deadlocks. An
 * urgent delivery does not wait for the next attempt of its subject, and a failing sink is probed with it at once.
 * @param holdMs delay of held deliveries
 */
export async function insertDeliveries(
  session: SqlSession,
  entries: readonly DecidedEntry[],
  holdMs = 0,
): Promise<void> {
  const added = entries.flatMap(({ entry: { event }, timing, deliveries }) => {
    const urgent = isUrgent(event.type);
    const state = announcesState(event.type);
    return deliveries.map((each) => ({ ...each, id: event.id, held: timing === 'held', urgent, state }));
  });
  if (added.length === 0) return;
  await session.query(
    `WITH inserted AS (
       INSERT INTO delivery (event_id, sink, kind, severity, problem_id, problem_state, held, urgent, state, withheld, delivered_at, subject,
                             sequence, archive_offset)
       SELECT event_id, sink, kind, given.severity, problem_id, problem_state, held::boolean, urgent::boolean, state::boolean, withheld,
              CASE WHEN withheld IS NOT NULL THEN clock_timestamp() END, subject, sequence, archive_offset
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $8::text[], $9::text[], $10::text[], $11::text[])
         AS given (event_id, sink, kind, held, urgent, state, severity, problem_id, problem_state, withheld) JOIN archive USING (event_id)
       ORDER BY archive_offset, sink
       RETURNING sink, subject, kind, held, urgent, replayed, withheld
     ), added AS (
       SELECT * FROM inserted WHERE withheld IS NULL
     ), probed AS (
       UPDATE sink_state SET probe_at = clock_timestamp()
       FROM (SELECT DISTINCT sink FROM added WHERE urgent AND NOT held) AS awaited
       WHERE sink_state.sink = awaited.sink AND failing_since IS NOT NULL
     )
     ${addCounts('$7')}`,
    [
      added.map(({ id }) => id),
      added.map(({ sink }) => sink),
      added.map(({ kind }) => kind),
      added.map(({ held }) => String(held)),
      added.map(({ urgent }) => String(urgent)),
      added.map(({ state }) => String(state)),
      holdMs,
      added.map(({ severity }) => severity),
      added.map(({ problemId }) => problemId ?? null),
      added.map(({ problemState }) => problemState ?? null),
      added.map(({ withheld }) => withheld ?? null),
    ],
  );
}

/**
 * The deliveries. A replica claims a subject for one sink until the end of its term at most, and delivers its events in order. In every
 * statement, $1 is the fencing token of the term and $2 the sink.
 */
@Injectable()
export class DeliveryOutbox {
  private readonly claimed: ClaimedSubjects;

  constructor(@Inject(DATABASE) private readonly database: Database) {
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
         WHERE ${CAN_BE_CLAIMED} AND priority <= $4 AND NOT ${SINK_IS_CLOSED}
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
         SELECT * FROM unnest($3::text[], $4::text[], $5::integer[], $6::text[], $7::timestamptz[], $8::double precision[], $10::text[],
                              $11::text[], $12::integer[], $13::text[], $14::integer[])
           AS given (event_id, subject, attempts, description, at, retry_ms, verdict, outcome, status, response, duration_ms)
       ), claimed AS (
         SELECT subject FROM delivery_subject
         WHERE sink = $2 AND subject = ANY ($4::text[] || $9::text[]) AND ${CLAIMED_HERE} AND ${TERM_IS_ACTIVE}
         ORDER BY subject FOR UPDATE
       ), recorded AS (
         UPDATE delivery SET attempts = given.attempts, last_outcome = given.description,
                delivered_at = CASE WHEN ${SKIPPED_OR_REPLACED} THEN delivered_at WHEN verdict = 'delivered' THEN at WHEN verdict = 'refused' THEN 'infinity' END,
                parked_at = CASE WHEN ${IS_REFUSED} THEN at END,
                parked_until = CASE WHEN ${IS_REFUSED} THEN clock_timestamp() + make_interval(secs => ${PARKED_RETRY_SECONDS}) END,
                retry_from = CASE WHEN ${IS_REFUSED} THEN clock_timestamp() + make_interval(secs => ${FIRST_RETRY_SECONDS}) END
         FROM given JOIN claimed USING (subject)
         WHERE delivery.event_id = given.event_id AND sink = $2 AND (${NOT_DELIVERED} OR ${SKIPPED_OR_REPLACED})
         RETURNING given.*, kind, urgent, replayed, held, ${SKIPPED_OR_REPLACED} AS was_ended
       ), logged AS (
         ${insertAttempts('$2')}
       ), progress AS (
         SELECT subject, coalesce(max(retry_ms) FILTER (WHERE NOT was_ended), 0) AS wait_ms,
           bool_or(held AND verdict = 'delivered') AS was_held, ${countDeliveries('retry_ms IS NULL AND NOT was_ended')}
         FROM recorded GROUP BY subject
       ), changed AS (
         UPDATE delivery_subject AS known SET ${subtractCounts('progress')},
           next_attempt_at = coalesce(clock_timestamp() + make_interval(secs => wait_ms / 1000), next_attempt_at),
           added_at = CASE WHEN was_held THEN clock_timestamp() ELSE added_at END,
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
        results.map(({ outcome }) => outcome),
        results.map(({ status }) => status ?? null),
        results.map(({ response }) => response ?? null),
        results.map(({ durationMs }) => durationMs),
      ],
    );
    if (row?.active !== true) throw new LeaseLostError();
  }
}
