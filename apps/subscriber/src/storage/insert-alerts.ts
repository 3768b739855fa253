import type { SqlSession } from '@ssb/database';
import type { Delivery } from '../domain/backlog.js';
import type { Mark } from '../domain/marks.js';
import type { VerifiedEntry } from './archive-entries.js';

/** A new event with its marks and what happens to its alerts. */
export interface DecidedEntry {
  readonly entry: VerifiedEntry;
  readonly marks: readonly Mark[];
  readonly delivery: Delivery;
}

/**
 * Adds the alerts of new events to the outbox. Locks subjects in the same order as `AlertOutbox.recordResults`, which avoids deadlocks.
 * @param holdMs delay of held alerts
 */
export async function insertAlerts(
  session: SqlSession,
  entries: readonly DecidedEntry[],
  holdMs = 0,
): Promise<void> {
  const alerts = entries.flatMap(({ entry, delivery }) => {
    if (delivery === 'none') return [];
    const { event, sinks, alert } = entry;
    return sinks.map((sink) => ({ id: event.id, sink, alert, held: delivery === 'held' }));
  });
  if (alerts.length === 0) return;
  await session.query(
    `WITH added AS (
       INSERT INTO alert_outbox (event_id, sink, alert, held, subject, sequence, position)
       SELECT event_id, sink, alert::boolean, held::boolean, subject, sequence, position
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS given (event_id, sink, alert, held) JOIN archive USING (event_id)
       RETURNING sink, subject, held
     )
     INSERT INTO alert_subject AS known (sink, subject, pending, next_attempt_at)
     SELECT sink, subject, count(*),
            clock_timestamp() + CASE WHEN bool_and(held) THEN make_interval(secs => $5::double precision) ELSE '0' END
     FROM added GROUP BY sink, subject ORDER BY sink, subject
     ON CONFLICT (sink, subject) DO UPDATE SET pending = known.pending + excluded.pending,
       next_attempt_at = CASE known.pending WHEN 0 THEN excluded.next_attempt_at ELSE known.next_attempt_at END`,
    [
      alerts.map(({ id }) => id),
      alerts.map(({ sink }) => sink),
      alerts.map(({ alert }) => String(alert)),
      alerts.map(({ held }) => String(held)),
      holdMs / 1_000,
    ],
  );
}

/**
 * Withdraws held alerts of these subjects that an event of the batch has replaced. An alert whose delivery has begun is not withdrawn.
 * @param newest the newest event of each subject
 * @param holdMs delay of the held alert that replaces them
 */
export async function withdrawSuperseded(
  session: SqlSession,
  newest: readonly DecidedEntry[],
  holdMs: number,
): Promise<void> {
  if (newest.length === 0) return;
  await session.query(
    `WITH given AS (
       SELECT subject, sequence, event_id, held::boolean
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS given (subject, sequence, event_id, held)
     ), locked AS (
       SELECT known.sink, known.subject FROM alert_subject AS known JOIN given USING (subject)
       WHERE pending > 0 AND claimed_by IS NULL ORDER BY known.sink, known.subject FOR UPDATE OF known
     ), withdrawn AS (
       UPDATE alert_outbox AS alert SET delivered_at = clock_timestamp(), last_outcome = 'superseded'
       FROM locked JOIN given USING (subject)
       WHERE alert.sink = locked.sink AND alert.subject = locked.subject AND alert.delivered_at IS NULL AND alert.held
         AND alert.sequence <= given.sequence AND alert.event_id <> given.event_id
       RETURNING alert.sink, alert.subject
     ), counted AS (
       SELECT sink, subject, count(*) AS alerts FROM withdrawn GROUP BY sink, subject
     )
     UPDATE alert_subject AS known SET pending = known.pending - counted.alerts,
       next_attempt_at = clock_timestamp() + CASE WHEN held THEN make_interval(secs => $5::double precision) ELSE '0' END
     FROM counted JOIN given USING (subject)
     WHERE known.sink = counted.sink AND known.subject = counted.subject`,
    [
      newest.map(({ entry }) => entry.event.subject),
      newest.map(({ entry }) => entry.event.sequence),
      newest.map(({ entry }) => entry.event.id),
      newest.map(({ delivery }) => String(delivery === 'held')),
      holdMs / 1_000,
    ],
  );
}
