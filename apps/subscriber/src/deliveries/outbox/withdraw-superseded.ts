import type { SqlSession } from '@ssb/postgres';
import type { DecidedEntry } from '../../archive/archive-entries.js';
import { countDeliveries, subtractCounts } from './subject-counts.js';

/**
 * Withdraws held deliveries of these subjects that an event of the batch has replaced. Attempted deliveries are not withdrawn.
 * @param newest the newest event of each subject
 * @param holdMs delay of the held delivery that replaces them
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
       SELECT known.sink, known.subject FROM delivery_subject AS known JOIN given USING (subject)
       WHERE pending > 0 AND claimed_by IS NULL ORDER BY known.sink, known.subject FOR UPDATE OF known
     ), withdrawn AS (
       UPDATE delivery AS older SET delivered_at = clock_timestamp(), last_outcome = 'superseded', replaced_by = given.event_id
       FROM locked JOIN given USING (subject)
       WHERE older.sink = locked.sink AND older.subject = locked.subject AND older.delivered_at IS NULL AND older.held
         AND older.sequence <= given.sequence AND older.event_id <> given.event_id
       RETURNING older.sink, older.subject, older.kind, older.urgent, older.replayed
     ), counted AS (
       SELECT sink, subject, ${countDeliveries()} FROM withdrawn GROUP BY sink, subject
     )
     UPDATE delivery_subject AS known SET ${subtractCounts('counted')},
       next_attempt_at = clock_timestamp() + CASE WHEN held THEN make_interval(secs => $5::double precision) ELSE '0' END
     FROM counted JOIN given USING (subject)
     WHERE known.sink = counted.sink AND known.subject = counted.subject`,
    [
      newest.map(({ entry }) => entry.event.subject),
      newest.map(({ entry }) => entry.event.sequence),
      newest.map(({ entry }) => entry.event.id),
      newest.map(({ timing }) => String(timing === 'held')),
      holdMs / 1_000,
    ],
  );
}
