import type { Database } from '@ssb/database';

/** Up to where acknowledged delivery had brought the channels when a connection ended. */
export interface Delivered {
  /** Acknowledged delivery was complete until then. */
  readonly at: Date;
  /** Time of the newest stored message of each channel, nanoseconds. A channel of which nothing was received is absent. */
  readonly until: ReadonlyMap<string, bigint>;
}

interface NewestRow {
  readonly channel: string;
  readonly appended_at_nanos: string;
  readonly archived_at: Date;
}

/** Of the archive. A channel has heartbeats, so its newest entry is near the end. */
const MAX_EXAMINED_ENTRIES = 100_000;

/** What earlier readers archived. @returns undefined when they archived nothing of these channels */
export async function readArchivedUntil(
  database: Pick<Database, 'query'>,
  channels: readonly string[],
  before: Date,
): Promise<Delivered | undefined> {
  const rows = await database.query<NewestRow>(
    `SELECT given.channel, newest.appended_at_nanos::text, newest.archived_at
     FROM unnest($1::text[]) AS given (channel) CROSS JOIN LATERAL (
       SELECT appended_at_nanos, archived_at FROM archive
       WHERE archive.channel = given.channel AND archived_at < $2
         AND position > (SELECT max(position) FROM archive) - $3::bigint
       ORDER BY position DESC LIMIT 1) AS newest`,
    [[...channels], before, MAX_EXAMINED_ENTRIES],
  );
  if (rows.length === 0) return undefined;
  return {
    at: new Date(Math.max(...rows.map(({ archived_at }) => archived_at.getTime()))),
    until: new Map(rows.map((row) => [row.channel, BigInt(row.appended_at_nanos)])),
  };
}
