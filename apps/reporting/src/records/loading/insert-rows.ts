import type { SqlSession } from '@ssb/database';
import { fromText, type KeyValue, type OnceRow, type OnceTable } from './tables.js';

/** A record with this key was published with other content: a published record is never rewritten. */
export class RecordConflictError extends Error {
  override readonly name = 'RecordConflictError';

  /** @param index of the line, from 0, among those that were to be loaded together */
  constructor(
    readonly table: string,
    readonly key: Readonly<Record<string, KeyValue>>,
    readonly index: number,
  ) {
    super(`another ${table} published for ${JSON.stringify(key)}`);
  }
}

/**
 * Adds the rows of one table that are not there yet, in their order, by one statement.
 * @returns how many were new
 * @throws RecordConflictError when a key is taken by other content, in the table or among the rows themselves
 */
export async function insertRows(
  session: SqlSession,
  table: OnceTable,
  rows: readonly OnceRow[],
): Promise<number> {
  const types = { ...table.key, ...table.rest };
  const columns = Object.keys(types);
  const [written] = await session.query<{ count: number }>(
    `WITH written AS (
       INSERT INTO ${table.name} (${columns.join(', ')})
       SELECT ${columns.map((column) => fromText(types[column] ?? 'text', `given.${column}`)).join(', ')}
       FROM ${given(columns)} ORDER BY place
       ON CONFLICT DO NOTHING RETURNING 1)
     SELECT count(*)::integer AS count FROM written`,
    textsOf(rows, columns),
  );
  const loaded = written?.count ?? 0;
  if (loaded < rows.length) {
    const [refused] = await rowsThere(session, table, rows, { withOtherContent: true });
    if (refused) throw new RecordConflictError(table.name, refused.key, refused.line);
  }
  return loaded;
}

/** The rows whose key is in the table already, in their order. */
export async function rowsThere(
  session: SqlSession,
  table: OnceTable,
  rows: readonly OnceRow[],
  { withOtherContent = false } = {},
): Promise<OnceRow[]> {
  if (rows.length === 0) return [];
  const columns = [...Object.keys(table.key), ...(withOtherContent ? [table.content] : [])];
  const same = Object.entries(table.key)
    .map(([column, type]) => `there.${column} = ${fromText(type, `given.${column}`)}`)
    .join(' AND ');
  const found = await session.query<{ place: number }>(
    `SELECT given.place::integer AS place FROM ${given(columns)} JOIN ${table.name} AS there ON ${same}
     ${withOtherContent ? `WHERE there.${table.content} <> given.${table.content}` : ''} ORDER BY place`,
    textsOf(rows, columns),
  );
  return found.flatMap(({ place }) => rows[place - 1] ?? []);
}

/** Rows as a table of texts, one parameter a column. */
function given(columns: readonly string[]): string {
  const parameters = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
  return `unnest(${parameters}) WITH ORDINALITY AS given (${columns.join(', ')}, place)`;
}

function textsOf(rows: readonly OnceRow[], columns: readonly string[]): (string | null)[][] {
  return columns.map((column) =>
    rows.map(({ key, rest }) => {
      const value = column in key ? key[column] : rest[column];
      return value === undefined || value === null ? null : String(value);
    }),
  );
}
