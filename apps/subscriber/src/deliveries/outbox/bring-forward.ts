import type { Database, SqlSession } from '@ssb/postgres';

/** Longer delays were requested by the sink (Retry-After), and held deliveries were not attempted. */
export async function bringRetriesForward(session: SqlSession, sink: string): Promise<void> {
  await session.query(
    bringForward(
      "next_attempt_at > clock_timestamp() AND next_attempt_at < clock_timestamp() + interval '15 s'",
    ),
    [sink],
  );
}

/** Longer than the pause between two probes. */
export const MAX_PROBE_WAIT_SECONDS = 15;

/**
 * Brings forward the attempted deliveries of a failing sink that wait for longer than a probe may, when a probe is due: the sink requested
 * the wait before it failed. Each of them can then be probed.
 */
export async function bringLongWaitsForward(database: Database, sink: string): Promise<void> {
  await database.query(
    bringForward(
      `next_attempt_at > clock_timestamp() + make_interval(secs => ${MAX_PROBE_WAIT_SECONDS}) AND claimed_by IS NULL
       AND EXISTS (SELECT FROM sink_state WHERE sink = $1 AND failing_since IS NOT NULL AND probe_at <= clock_timestamp())`,
    ),
    [sink],
  );
}

/** Makes subjects of the sink $1 due that have an attempted delivery. @param condition SQL, of the subject */
const bringForward = (condition: string): string =>
  `UPDATE delivery_subject AS known SET next_attempt_at = clock_timestamp()
   FROM (
     SELECT subject FROM delivery_subject AS waiting
     WHERE sink = $1 AND pending > 0 AND ${condition}
       AND EXISTS (SELECT 1 FROM delivery AS tried
                   WHERE tried.sink = $1 AND tried.subject = waiting.subject AND delivered_at IS NULL AND attempts > 0)
     ORDER BY subject FOR UPDATE SKIP LOCKED
   ) AS retried
   WHERE known.sink = $1 AND known.subject = retried.subject`;
