import type { SqlSession } from '@ssb/postgres';
import { CAN_BE_WITHDRAWN } from '../../problems/notified-sinks.js';
import { countDeliveries, subtractCounts } from '../outbox/subject-counts.js';

/** A delivery that the transaction adds afterwards. */
export interface NextDelivery {
  readonly sink: string;
  /** The archived event, or the one inside its body. */
  readonly eventId: string;
}

/**
 * Withdraws the reminders and escalations of problems that were acknowledged or have ended. One that is attempted meanwhile may reach its sink.
 * @param problems with the newest event of each
 * @param next their subjects are locked as well, all in the order of `recordResults`, which avoids deadlocks
 */
export async function withdrawReminders(
  session: SqlSession,
  problems: readonly { readonly problemId: string; readonly eventId: string }[],
  next: readonly NextDelivery[],
): Promise<void> {
  if (problems.length === 0) return;
  const problemIds = problems.map(({ problemId }) => problemId);
  await session.query(
    `SELECT FROM delivery_subject WHERE (sink, subject) IN (
       SELECT sink, subject FROM delivery WHERE problem_id = ANY ($1::text[]) AND ${CAN_BE_WITHDRAWN}
       UNION SELECT given.sink, subject FROM unnest($2::text[], $3::text[]) AS given (sink, event_id) JOIN archive USING (event_id)
     ) ORDER BY sink, subject FOR UPDATE`,
    [problemIds, next.map(({ sink }) => sink), next.map(({ eventId }) => eventId)],
  );
  await session.query(
    `WITH ended AS (
       SELECT delivery.event_id, sink, delivered_at IS NULL AS was_pending, given.event_id AS replaced_by
       FROM unnest($1::text[], $2::text[]) AS given (problem_id, event_id) JOIN delivery USING (problem_id)
       WHERE ${CAN_BE_WITHDRAWN} FOR UPDATE OF delivery
     ), changed AS (
       UPDATE delivery SET delivered_at = clock_timestamp(), last_outcome = 'withdrawn', replaced_by = ended.replaced_by,
         parked_at = NULL, parked_until = NULL, retry_from = NULL
       FROM ended WHERE delivery.event_id = ended.event_id AND delivery.sink = ended.sink
       RETURNING delivery.sink, subject, kind, urgent, replayed, attempts, was_pending
     ), counted AS (
       SELECT sink, subject, bool_or(attempts > 0) AS was_attempted, ${countDeliveries()} FROM changed WHERE was_pending GROUP BY sink, subject
     )
     UPDATE delivery_subject AS known SET ${subtractCounts('counted')},
       next_attempt_at = CASE WHEN was_attempted THEN least(next_attempt_at, clock_timestamp()) ELSE next_attempt_at END
     FROM counted WHERE known.sink = counted.sink AND known.subject = counted.subject`,
    [problemIds, problems.map(({ eventId }) => eventId)],
  );
}
