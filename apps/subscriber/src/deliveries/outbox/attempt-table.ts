import type { SqlSession } from '@ssb/postgres';

/** Inserts an attempt for each row of `recorded` for the sink of this parameter. A repeat of a result changes nothing. */
export const insertAttempts = (sink: string): string =>
  `INSERT INTO attempt (event_id, sink, number, at, duration_ms, outcome, status, response, error)
   SELECT event_id, ${sink}, attempts, at, duration_ms, outcome, status, response,
          CASE WHEN outcome <> 'delivered' AND status IS NULL THEN description END
   FROM recorded ON CONFLICT DO NOTHING`;

const MAX_ROWS_PER_STATEMENT = 1_000;
const MAX_STATEMENTS = 1_000;

/** Deletes attempts that are older than this many days, the oldest first. The next run deletes what one leaves. @returns how many */
export async function deleteOldAttempts(
  session: SqlSession,
  days: number,
  stopping: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let statement = 0; statement < MAX_STATEMENTS && !stopping.aborted; statement += 1) {
    const [row] = await session.query<{ deleted: number }>(
      `WITH deleted AS (
         DELETE FROM attempt WHERE ctid = ANY (ARRAY(
           SELECT ctid FROM attempt WHERE at < clock_timestamp() - make_interval(days => $1) ORDER BY at LIMIT $2))
         RETURNING 1
       )
       SELECT count(*)::integer AS deleted FROM deleted`,
      [days, MAX_ROWS_PER_STATEMENT],
    );
    const deleted = row?.deleted ?? 0;
    total += deleted;
    if (deleted < MAX_ROWS_PER_STATEMENT) break;
  }
  return total;
}
