import { BatchLoader, type Database } from '@ssb/postgres';
import type { DayWindow } from '../participants/parameters/day-window.js';
import { groupByKey, toBatchKey, toColumnParameters, toResponseBody } from './batch-query.js';
import type { ReadThrough } from './document-cache.js';

/** The market's public notes state payloads of up to 10 MB. */
const MAX_WINDOW_BYTES = 10_000_000;

/** Windows of one statement: each may have the maximum size. */
const MAX_BATCH = 8;

/** The documents of a window are larger than this service sends. */
export class WindowTooLargeError extends Error {
  override readonly name = 'WindowTooLargeError';

  constructor(readonly bytes: number) {
    super(`the documents of these days have ${bytes} bytes, and ${MAX_WINDOW_BYTES} are allowed`);
  }
}

/** Selects the documents of a window. The texts are SQL, and none comes from a request. */
export interface DayWindowDefinition {
  readonly table: string;
  /** A condition on the table's columns and `requested.owner`, `requested.since` and `requested.until`. */
  readonly where: string;
  readonly order: string;
  /** The JSON text before and after the list of documents. */
  readonly prefix: string;
  readonly suffix: string;
}

interface WindowRow {
  readonly position: number;
  readonly bytes: number;
  readonly documents: string | null;
}

/** Finds the documents of a window of days. Their length is summed first, so that a too large window takes no memory. */
export class DayWindowQuery {
  private readonly loader: BatchLoader<WindowRow>;

  constructor(
    database: Database,
    private readonly cache: ReadThrough,
    private readonly definition: DayWindowDefinition,
  ) {
    const sql = toSql(definition);
    this.loader = new BatchLoader(async (keys) => {
      const parameters = [...toColumnParameters(keys, 3), MAX_WINDOW_BYTES];
      return groupByKey(keys, await database.query<WindowRow>(sql, parameters));
    }, MAX_BATCH);
  }

  /** The body of a 200, with an empty list when there is none. @throws WindowTooLargeError */
  find(scope: string, owner: string, { from, to }: DayWindow): Promise<Uint8Array> {
    const { table, prefix, suffix } = this.definition;
    return this.cache.read({ scope, query: `${table} ${from} ${to}` }, async () => {
      const row = await this.loader.find(toBatchKey([owner, from, to]));
      if (row !== undefined && row.bytes > MAX_WINDOW_BYTES) throw new WindowTooLargeError(row.bytes);
      return toResponseBody(`${prefix}${row?.documents ?? ''}${suffix}`);
    });
  }
}

function toSql({ table, where, order }: DayWindowDefinition): string {
  return `SELECT requested.position::integer AS position, size.bytes, CASE WHEN size.bytes <= $4 THEN
      (SELECT string_agg(document, ',' ORDER BY ${order}) FROM ${table} WHERE ${where}) END AS documents
    FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS requested (owner, since, until, position)
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(octet_length(document) + 1), 0)::bigint AS bytes FROM ${table} WHERE ${where}
    ) AS size`;
}
