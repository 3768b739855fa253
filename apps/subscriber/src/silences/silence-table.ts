import type { SqlSession } from '@ssb/postgres';
import type { Silence } from './domain/silence.js';

interface SilenceRow {
  readonly silence_id: number;
  readonly matchers: Silence['matchers'];
  readonly starts_at: Date;
  readonly ends_at: Date;
  readonly author: string;
  readonly comment: string;
  readonly ended_at: Date | null;
  readonly ended_by: string | null;
  readonly end_comment: string | null;
}

const COLUMNS = 'silence_id, matchers, starts_at, ends_at, author, comment, ended_at, ended_by, end_comment';
const IS_ACTIVE =
  'NOT concluded AND ended_at IS NULL AND starts_at <= clock_timestamp() AND ends_at > clock_timestamp()';

/** Silences that now apply. Within a transaction, `findUnreadSilences` does not return them until it ends. */
export async function readActiveSilences(session: SqlSession): Promise<Silence[]> {
  const [locked] = await session.query(`SELECT silence_id FROM silence WHERE ${IS_ACTIVE} FOR KEY SHARE`);
  // A silence may have ended before it was locked, so that its end did not wait for this transaction.
  return locked === undefined ? [] : readSilences(session, IS_ACTIVE);
}

/**
 * Silences that are over, and that no running transaction has read as active: what they withheld is committed.
 * @returns their ids
 */
export async function findUnreadSilences(session: SqlSession): Promise<ReadonlySet<number>> {
  // An exclusive lock is granted only without a reader's shared lock. It is released at once: no later reader finds them active.
  const rows = await session.query<{ silence_id: number }>(
    `SELECT silence_id FROM silence
     WHERE NOT concluded AND coalesce(ended_at, ends_at) <= clock_timestamp() FOR UPDATE SKIP LOCKED`,
  );
  return new Set(rows.map(({ silence_id }) => silence_id));
}

/** Silences that are not concluded: they will apply, apply now, or their end is not reported. */
export function readOpenSilences(session: SqlSession): Promise<Silence[]> {
  return readSilences(session, 'NOT concluded');
}

/** Locks an open silence until the transaction ends. @returns undefined when another replica holds it, or it is concluded */
export async function lockOpenSilence(session: SqlSession, silenceId: number): Promise<Silence | undefined> {
  const [row] = await session.query<SilenceRow>(
    `SELECT ${COLUMNS} FROM silence WHERE silence_id = $1 AND NOT concluded FOR NO KEY UPDATE SKIP LOCKED`,
    [silenceId],
  );
  return row && toSilence(row);
}

/** Locks a silence until the transaction ends. */
export async function lockSilence(session: SqlSession, silenceId: number): Promise<Silence | undefined> {
  const [row] = await session.query<SilenceRow>(
    `SELECT ${COLUMNS} FROM silence WHERE silence_id = $1 FOR NO KEY UPDATE`,
    [silenceId],
  );
  return row && toSilence(row);
}

export async function insertSilence(session: SqlSession, silence: Omit<Silence, 'ended'>): Promise<void> {
  const { silenceId, matchers, startsAt, endsAt, author, comment } = silence;
  await session.query(
    `INSERT INTO silence (silence_id, matchers, starts_at, ends_at, author, comment) VALUES ($1, $2::jsonb, $3, $4, $5, $6)`,
    [silenceId, JSON.stringify(matchers), startsAt, endsAt, author, comment],
  );
}

export async function endSilence(
  session: SqlSession,
  silenceId: number,
  { at, by, comment }: NonNullable<Silence['ended']>,
): Promise<void> {
  await session.query(
    'UPDATE silence SET ended_at = $2, ended_by = $3, end_comment = $4 WHERE silence_id = $1',
    [silenceId, at, by, comment ?? null],
  );
}

export async function concludeSilence(session: SqlSession, silenceId: number): Promise<void> {
  await session.query('UPDATE silence SET concluded = true WHERE silence_id = $1', [silenceId]);
}

/** By the clock of the database, in milliseconds. */
export async function readTime(session: SqlSession): Promise<Date> {
  const [row] = await session.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  if (row === undefined) throw new Error('the database returned no time');
  return row.now;
}

async function readSilences(session: SqlSession, condition: string): Promise<Silence[]> {
  const rows = await session.query<SilenceRow>(
    `SELECT ${COLUMNS} FROM silence WHERE ${condition} ORDER BY silence_id`,
  );
  return rows.map(toSilence);
}

function toSilence(row: SilenceRow): Silence {
  const { ended_at: at, ended_by: by, end_comment: comment } = row;
  return {
    silenceId: row.silence_id,
    matchers: row.matchers,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    author: row.author,
    comment: row.comment,
    ended: at === null || by === null ? undefined : { at, by, comment: comment ?? undefined },
  };
}
