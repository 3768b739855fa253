import { BatchLoader, type Database } from '@ssb/database';
import type { DayWindow } from '../participants/parameters/day-window.js';
import { answerBody, byQuestion, columnsOf, questionKey, type ReadThrough } from './batch-query.js';

/** The public notes of the prudential service: payloads of up to 10 MB. */
const MAX_WINDOW_BYTES = 10_000_000;

/** Windows of one statement: each may be as large as the bound. */
const MAX_BATCH = 8;

/** The documents of a window are a longer text than this service sends. */
export class WindowTooLargeError extends Error {
  override readonly name = 'WindowTooLargeError';

  constructor(readonly bytes: number) {
    super(`the documents of these days have ${bytes} bytes, and ${MAX_WINDOW_BYTES} are allowed`);
  }
}

/** Which documents lie in a window of days. All of it is SQL that comes from this program only. */
export interface WindowOf {
  readonly table: string;
  /** Of the table's columns and `requested.owner`, `requested.since` and `requested.until`. */
  readonly where: string;
  readonly order: string;
  /** The JSON text around the list of documents. */
  readonly around: readonly [before: string, after: string];
}

interface Found {
  readonly place: number;
  readonly bytes: number;
  readonly documents: string | null;
}

/** The documents of a window of days. Their length is summed first, so that an absurd window costs a sum and no memory. */
export class Windows {
  private readonly loader: BatchLoader<Found>;

  constructor(
    database: Database,
    private readonly through: ReadThrough,
    private readonly of: WindowOf,
  ) {
    const sql = statementOf(of);
    this.loader = new BatchLoader(async (questions) => {
      const parameters = [...columnsOf(questions, 3), MAX_WINDOW_BYTES];
      return byQuestion(questions, await database.query<Found>(sql, parameters));
    }, MAX_BATCH);
  }

  /** The body of the answer, empty list included. @throws WindowTooLargeError */
  read(scope: string, owner: string, { from, to }: DayWindow): Promise<Uint8Array> {
    return this.through.read({ scope, question: `${this.of.table} ${from} ${to}` }, async () => {
      const found = await this.loader.find(questionKey([owner, from, to]));
      const [before, after] = this.of.around;
      if (found !== undefined && found.bytes > MAX_WINDOW_BYTES) throw new WindowTooLargeError(found.bytes);
      return answerBody(`${before}${found?.documents ?? ''}${after}`);
    });
  }
}

function statementOf({ table, where, order }: WindowOf): string {
  return `SELECT requested.place::integer AS place, size.bytes, CASE WHEN size.bytes <= $4 THEN
      (SELECT string_agg(document, ',' ORDER BY ${order}) FROM ${table} WHERE ${where}) END AS documents
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS requested (owner, since, until, place)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(octet_length(document) + 1), 0)::bigint AS bytes FROM ${table} WHERE ${where}
    ) AS size`;
}
