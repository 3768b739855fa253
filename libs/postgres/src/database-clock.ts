import type { ClockReading } from '@ssb/net';
import type { SqlSession } from './database.js';

/** Reads the clock of the database server. Rejects as every statement does. */
export async function readDatabaseClock(database: Pick<SqlSession, 'query'>): Promise<ClockReading> {
  const requestedAt = Date.now();
  const [row] = await database.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  const respondedAt = Date.now();
  return { requestedAt, respondedAt, remoteTime: row?.now.getTime() ?? NaN, resolutionMs: 1 };
}
