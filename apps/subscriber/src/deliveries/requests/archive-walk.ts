import type { Database, SqlSession } from '@ssb/postgres';
import { OperationStoppedError } from '../../database/retry-database.js';

/** What a request about many deliveries has done so far. */
export interface BatchProgress {
  readonly changed: number;
  /** How many there were when it began. */
  readonly total: number;
  /** Offset in the archive up to which they are done, and where the request ends. */
  readonly upTo: string;
  readonly end: string;
}

export interface BatchRun {
  /** Of an earlier run that did not end. */
  readonly progress: BatchProgress | undefined;
  /** Stores the progress in the transaction of the batch. */
  save(session: SqlSession, progress: BatchProgress): Promise<void>;
  /** Ends the run after the current batch: it throws OperationStoppedError. */
  readonly signal: AbortSignal;
}

export type BatchResult =
  | { readonly outcome: 'done'; readonly progress: BatchProgress }
  | { readonly outcome: 'refused'; readonly reason: string };

export type SqlValues = NonNullable<Parameters<SqlSession['query']>[1]>;

/** What is done with the events of a part of the archive. Statements about them have the offsets as $1 and $2: after the first, up to the second. */
export interface ArchiveWalk {
  /** SELECT of the column archive_offset: the first and last one are where the walk begins and ends. */
  readonly offsets: { readonly sql: string; readonly parameters: SqlValues };
  /** SELECT of the column `count`: what there is to change. */
  readonly count: { readonly sql: string; readonly parameters: SqlValues };
  /** Returns a sentence when there is too much. */
  readonly refuse?: (total: number) => string | undefined;
  /** @returns how many it changed */
  change(session: SqlSession, offsets: readonly [after: string, upTo: string]): Promise<number>;
}

/** Events of one transaction, which locks the rows of their subjects. */
const MAX_CHANGED_EVENTS = 500;
/** Events of one statement that only counts. */
const MAX_COUNTED_EVENTS = 10_000;

/** Advisory lock of `delete_expired_events`, which deletes neither an event nor a delivery that a batch changes. */
const EXPIRY_LOCK = 7_305_122;

/** Changes the deliveries of archived events in the order of the archive. Each batch is a transaction that also stores the progress. */
export async function walkArchive(
  database: Database,
  walk: ArchiveWalk,
  run: BatchRun,
): Promise<BatchResult> {
  let progress = run.progress ?? (await begin(database, walk, run.signal));
  const reason = run.progress === undefined ? walk.refuse?.(progress.total) : undefined;
  if (reason !== undefined) return { outcome: 'refused', reason };
  while (progress.upTo !== progress.end) {
    assertRunning(run.signal);
    progress = await database.transaction(async (session) => {
      await session.query('SELECT pg_advisory_xact_lock_shared($1)', [EXPIRY_LOCK]);
      const upTo = await findBatchEnd(session, progress, MAX_CHANGED_EVENTS);
      const changed = progress.changed + (await walk.change(session, [progress.upTo, upTo]));
      const saved = { ...progress, changed, upTo };
      await run.save(session, saved);
      return saved;
    });
  }
  return { outcome: 'done', progress };
}

async function begin(
  database: Database,
  { offsets, count }: ArchiveWalk,
  signal: AbortSignal,
): Promise<BatchProgress> {
  const [range] = await database.query<{ start: string | null; end: string | null }>(
    `SELECT (min(archive_offset) - 1)::text AS start, max(archive_offset)::text AS end FROM (${offsets.sql}) AS visited`,
    offsets.parameters,
  );
  const { start = null, end = null } = range ?? {};
  if (start === null || end === null) return { changed: 0, total: 0, upTo: '0', end: '0' };
  let total = 0;
  let upTo = start;
  while (upTo !== end) {
    assertRunning(signal);
    const next = await findBatchEnd(database, { upTo, end }, MAX_COUNTED_EVENTS);
    const [row] = await database.query<{ count: number }>(count.sql, [upTo, next, ...count.parameters]);
    total += row?.count ?? 0;
    upTo = next;
  }
  return { changed: 0, total, upTo: start, end };
}

async function findBatchEnd(
  session: SqlSession,
  { upTo, end }: Pick<BatchProgress, 'upTo' | 'end'>,
  events: number,
): Promise<string> {
  const [row] = await session.query<{ last: string }>(
    `SELECT archive_offset::text AS last FROM archive WHERE archive_offset > $1::bigint AND archive_offset < $2::bigint
     ORDER BY archive.archive_offset OFFSET $3 LIMIT 1`,
    [upTo, end, events - 1],
  );
  return row?.last ?? end;
}

function assertRunning(signal: AbortSignal): void {
  if (signal.aborted) throw new OperationStoppedError(0, signal.reason);
}
