import type { SqlSession } from '@ssb/postgres';
import { toMilliseconds } from '../domain/nanoseconds.js';
import type { VerifiedEntry } from '../archive/archive-entries.js';
import type { ReceivedHeartbeat } from './domain/heartbeat.js';

/**
 * Records the newest heartbeat of each participant and channel. Its time counts at most as that of its arrival and as that
 * at which the bus appended it, in case its clock is ahead: a message that waited after that is as old as it is.
 */
export async function recordHeartbeats(
  session: SqlSession,
  entries: readonly VerifiedEntry[],
  now: Date,
): Promise<void> {
  const heartbeats = entries.flatMap(({ event, message, heartbeat }) =>
    heartbeat === undefined
      ? []
      : [
          {
            participant: event.participant,
            channel: message.fqcn,
            polls: heartbeat.polls,
            at: new Date(Math.min(heartbeat.at.getTime(), toMilliseconds(message.timestampNanos))),
          },
        ],
  );
  if (heartbeats.length === 0) return;
  await session.query(
    `INSERT INTO heartbeat AS known (participant, channel, heartbeat_at, received_at, polls)
     SELECT DISTINCT ON (participant, channel) participant, channel, least(at, $5), $5::timestamptz, polls::jsonb
     FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) AS given (participant, channel, at, polls)
     ORDER BY participant, channel, at DESC
     ON CONFLICT (participant, channel) DO UPDATE SET
       heartbeat_at = excluded.heartbeat_at, received_at = excluded.received_at, polls = excluded.polls
     WHERE excluded.heartbeat_at > known.heartbeat_at`,
    [
      heartbeats.map(({ participant }) => participant),
      heartbeats.map(({ channel }) => channel),
      heartbeats.map(({ at }) => at),
      heartbeats.map(({ polls }) => JSON.stringify(polls)),
      now,
    ],
  );
}

/** The newest heartbeats, also those that another replica received. */
export async function listHeartbeats(session: SqlSession): Promise<ReceivedHeartbeat[]> {
  return session.query<ReceivedHeartbeat>(
    'SELECT participant, channel, heartbeat_at AS at, received_at AS "receivedAt", polls FROM heartbeat',
  );
}

const MAX_ROWS_PER_STATEMENT = 1_000;
const MAX_STATEMENTS = 100;

/** Deletes archived heartbeats after a day, and their ids after two. The next run deletes what one leaves. */
export async function deleteOldHeartbeats(session: SqlSession, stopping: AbortSignal): Promise<void> {
  for (let statement = 0; statement < MAX_STATEMENTS && !stopping.aborted; statement += 1) {
    const [row] = await session.query<{ deleted: number }>('SELECT delete_old_heartbeats($1) AS deleted', [
      MAX_ROWS_PER_STATEMENT,
    ]);
    if ((row?.deleted ?? 0) === 0) return;
  }
}
