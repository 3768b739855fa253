import type { OperatorConfig } from '@ssb/config';
import type { Database, SqlSession } from '@ssb/postgres';
import { assertReader, type ReaderToken } from '../replica/reader-lease.js';
import { findKeyChanges, listTrustedKeys, withoutNetwork, type TrustedKey } from './domain/key-changes.js';

/**
 * Records which keys the configuration trusts, by the clock of the database, before messages are verified with it. A repeat changes nothing, so
 * a restart continues the open intervals.
 * @returns the number of intervals that began or ended
 * @throws LeaseLostError when another replica reads the channels; nothing was written
 */
export function recordTrustedKeys(
  database: Database,
  config: OperatorConfig,
  reader: ReaderToken,
): Promise<number> {
  return database.transaction(async (session) => {
    // Its lock orders the changes of all replicas.
    await assertReader(session, reader);
    const open = await session.query<TrustedKey>(
      'SELECT channel, role, did, participants FROM trusted_key WHERE trusted_until IS NULL',
    );
    const { ended, begun } = findKeyChanges(open, listTrustedKeys(config));
    if (ended.length + begun.length > 0) {
      const at = await readStart(session);
      await endIntervals(session, ended, at);
      await beginIntervals(session, begun, at);
    }
    await recordRevocations(session, config.revoked ?? []);
    return ended.length + begun.length;
  });
}

interface Start {
  readonly now: string;
  /** Of the first intervals of all. An archive that is older than them was verified with unknown keys, so they begin before it. */
  readonly from: string;
}

/** Text, because a Date has no microseconds: an interval would begin before the one that it continues has ended. */
async function readStart(session: SqlSession): Promise<Start> {
  const [row] = await session.query<Start>(
    `SELECT now::text, CASE WHEN EXISTS (SELECT FROM trusted_key) OR NOT EXISTS (SELECT FROM archive) THEN now ELSE '-infinity' END::text AS "from"
     FROM clock_timestamp() AS now`,
  );
  if (row === undefined) throw new TypeError('no time of the database');
  return row;
}

async function endIntervals(session: SqlSession, keys: readonly TrustedKey[], { now }: Start): Promise<void> {
  for (const { channel, role, did } of keys)
    await session.query(
      `UPDATE trusted_key SET trusted_until = greatest($4::timestamptz, trusted_from)
       WHERE channel = $1 AND role = $2 AND did = $3 AND trusted_until IS NULL`,
      [channel, role, did, now],
    );
}

async function beginIntervals(
  session: SqlSession,
  keys: readonly TrustedKey[],
  { from }: Start,
): Promise<void> {
  for (const { channel, role, did, participants } of keys)
    await session.query(
      'INSERT INTO trusted_key (channel, role, did, participants, trusted_from) VALUES ($1, $2, $3, $4, $5::timestamptz)',
      [channel, role, did, participants, from],
    );
}

async function recordRevocations(
  session: SqlSession,
  revoked: NonNullable<OperatorConfig['revoked']>,
): Promise<void> {
  const keys = revoked.map(({ did, since }) => [withoutNetwork(did), since] as const);
  await session.query(
    `UPDATE revoked_key SET withdrawn_at = clock_timestamp()
     WHERE withdrawn_at IS NULL AND (did, revoked_since) NOT IN (SELECT * FROM unnest($1::text[], $2::timestamptz[]))`,
    [keys.map(([did]) => did), keys.map(([, since]) => since)],
  );
  for (const [at, [did, since]] of keys.entries())
    await session.query(
      `INSERT INTO revoked_key AS known (did, revoked_since, comment) VALUES ($1, $2, $3)
       ON CONFLICT (did, revoked_since) DO UPDATE SET comment = excluded.comment, withdrawn_at = NULL
       WHERE known.comment IS DISTINCT FROM excluded.comment OR known.withdrawn_at IS NOT NULL`,
      [did, since, revoked[at]?.comment ?? null],
    );
}
