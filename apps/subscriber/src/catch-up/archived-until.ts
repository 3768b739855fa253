import type { Database } from '@ssb/postgres';

/** Up to where the channels were archived at a time. */
export interface ArchivedUntil {
  /** When the newest of these entries was archived. */
  readonly at: Date;
  /** Time of the newest entry of each channel, nanoseconds by the clock of the bus. A channel without an entry is absent. */
  readonly newestNanos: ReadonlyMap<string, bigint>;
}

interface NewestRow {
  readonly channel: string;
  readonly appended_at_nanos: string;
  readonly archived_at: Date;
}

/** Entries before the time. A channel has heartbeats, so its newest entry is near. */
const MAX_EXAMINED_ENTRIES = 100_000;

/** @returns undefined when nothing of these channels was archived before the time */
export async function readArchivedUntil(
  database: Pick<Database, 'query'>,
  channels: readonly string[],
  before: Date,
): Promise<ArchivedUntil | undefined> {
  const rows = await database.query<NewestRow>(
    `WITH last AS (SELECT archive_offset FROM archive WHERE archived_at < $2 ORDER BY archive_offset DESC LIMIT 1)
     SELECT given.channel, newest.appended_at_nanos::text, newest.archived_at
     FROM last, unnest($1::text[]) AS given (channel) CROSS JOIN LATERAL (
       SELECT appended_at_nanos, archived_at FROM archive
       WHERE archive.channel = given.channel AND archive.archive_offset BETWEEN last.archive_offset - $3::bigint AND last.archive_offset
       ORDER BY archive.archive_offset DESC LIMIT 1) AS newest`,
    [[...channels], before, MAX_EXAMINED_ENTRIES],
  );
  if (rows.length === 0) return undefined;
  return {
    at: new Date(Math.max(...rows.map(({ archived_at }) => archived_at.getTime()))),
    newestNanos: new Map(rows.map((row) => [row.channel, BigInt(row.appended_at_nanos)])),
  };
}
