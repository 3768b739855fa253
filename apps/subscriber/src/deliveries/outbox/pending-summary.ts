import type { Database } from '@ssb/postgres';

/** The pending deliveries of one sink. */
export interface PendingSummary {
  readonly depth: number;
  /** Time since the oldest was archived, added or resent. Replayed ones do not count. */
  readonly oldestSeconds: number;
}

/** The pending deliveries of each sink that has any, configured or not. Only the first delivery of each subject is read. */
export async function summarisePending(database: Database): Promise<ReadonlyMap<string, PendingSummary>> {
  const rows = await database.query<{ sink: string } & PendingSummary>(
    `SELECT known.sink, sum(pending)::integer AS depth,
            coalesce(extract(epoch FROM clock_timestamp() - min(coalesce(resent_at, archived_at, created_at)) FILTER (WHERE NOT first.replayed)), 0)::double precision AS "oldestSeconds"
     FROM delivery_subject AS known LEFT JOIN LATERAL (
       SELECT event_id, resent_at, created_at, head.replayed FROM delivery AS head
       WHERE head.sink = known.sink AND head.subject = known.subject AND delivered_at IS NULL
       ORDER BY sequence, archive_offset LIMIT 1
     ) AS first ON true LEFT JOIN archive USING (event_id)
     WHERE pending > 0 GROUP BY known.sink`,
  );
  return new Map(rows.map(({ sink, ...summary }) => [sink, summary]));
}
