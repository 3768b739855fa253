import { setTimeout as pause } from 'node:timers/promises';
import { standardError } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { authorOf, type RequestOptions } from '../options.js';
import { RequestError } from './subscriber-database.js';

export interface NewRequest {
  readonly kind: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** What the subscriber has recorded at the end of the request. */
export type RequestResult = Readonly<Record<string, unknown>>;

const POLL_INTERVAL_MS = 200;
/** Longer than a running subscriber needs to start a term. */
const MAX_WAIT_FOR_SUBSCRIBER_MS = 3_000;

/**
 * Adds a request, and waits until the subscriber has carried it out. Reports its progress on standard error.
 * @throws RequestError when it was refused, failed, or has not ended in time
 */
export async function carryOut(
  database: Database,
  { kind, parameters }: NewRequest,
  options: RequestOptions,
): Promise<RequestResult> {
  const author = authorOf(options);
  if (author === undefined)
    throw new RequestError('The user of this process has no name. Say who you are with --author.');
  const [row] = await database.query<{ id: number }>(
    'INSERT INTO request (kind, parameters, author, comment) VALUES ($1, $2::jsonb, $3, $4) RETURNING request_id AS id',
    [kind, JSON.stringify(parameters), author, options.comment ?? null],
  );
  return waitForResult(database, row?.id ?? NaN, options.wait * 1_000);
}

interface RequestRow {
  readonly outcome: 'done' | 'refused' | 'failed' | null;
  readonly result: RequestResult | null;
  readonly progress: { readonly changed?: number; readonly total?: number } | null;
  /** Of a replica that works on it, or has. */
  readonly is_taken: boolean;
  readonly has_subscriber: boolean;
}

async function waitForResult(database: Database, id: number, waitMs: number): Promise<RequestResult> {
  const startedAt = Date.now();
  let subscriberSeenAt = startedAt;
  let shown = 0;
  for (;;) {
    const { outcome, result, progress, is_taken, has_subscriber } = await readRequest(database, id);
    if (outcome === 'done') return result ?? {};
    if (outcome !== null) {
      const reason = result?.['reason'];
      throw new RequestError(typeof reason === 'string' ? reason : `The request was ${outcome}.`);
    }
    const now = Date.now();
    if (has_subscriber) subscriberSeenAt = now;
    const isLate = now - startedAt > waitMs;
    if (now - subscriberSeenAt > MAX_WAIT_FOR_SUBSCRIBER_MS || (isLate && !has_subscriber))
      throw new RequestError(
        `No subscriber is running on this database. The request ${id} is stored: the subscriber carries it out at its next start. ${howToLookUp(id)}`,
      );
    if (isLate)
      throw new RequestError(
        `${is_taken ? `The request ${id} has not ended within ${waitMs / 1_000} s. The subscriber continues it.` : `No subscriber has taken the request ${id} within ${waitMs / 1_000} s. It stays stored, and is carried out in its turn or at the next start.`} ${howToLookUp(id)}`,
      );
    const { changed = 0, total = 0 } = progress ?? {};
    if (changed > shown && changed !== total) standardError.writeLine(`${changed} of ${total} so far`);
    shown = Math.max(shown, changed);
    await pause(POLL_INTERVAL_MS);
  }
}

const howToLookUp = (id: number): string => `"busbridge requests show ${id}" shows its state.`;

async function readRequest(database: Database, id: number): Promise<RequestRow> {
  const [row] = await database.query<RequestRow>(
    `SELECT outcome, result, progress, claimed_by IS NOT NULL OR progress IS NOT NULL AS is_taken,
            EXISTS (SELECT FROM replica WHERE expires_at > clock_timestamp()) AS has_subscriber
     FROM request WHERE request_id = $1`,
    [id],
  );
  if (row === undefined)
    throw new RequestError('The request was removed from the database. Run the command again.');
  return row;
}
