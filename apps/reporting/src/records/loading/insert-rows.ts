import type { SqlSession } from '@ssb/postgres';
import { castText, type KeyValue, type RecordRow, type RecordTable } from './tables.js';

/** The key was published with other content. A published record is never changed. */
export class RecordConflictError extends Error {
  override readonly name = 'RecordConflictError';

  /** @param index of the line within its load, from 0 */
  constructor(
    readonly table: string,
    readonly key: Readonly<Record<string, KeyValue>>,
    readonly index: number,
  ) {
    super(`another ${table} published for ${JSON.stringify(key)}`);
  }
}

/**
 * Inserts the rows that the table does not have yet, in order, by one statement.
 * @returns the number of new rows
 * @throws RecordConflictError when a key has other content, in the table or among the rows
 */
export async function insertRows(
  session: SqlSession,
  table: RecordTable,
  rows: readonly RecordRow[],
): Promise<number> {
  const types = { ...table.key, ...table.rest };
  const columns = Object.keys(types);
  const [inserted] = await session.query<{ count: number }>(
    `WITH inserted AS (
       INSERT INTO ${table.name} (${columns.join(', ')})
       SELECT ${columns.map((column) => castText(types[column] ?? 'text', `input.${column}`)).join(', ')}
       FROM ${inputTable(columns)} ORDER BY position
       ON CONFLICT DO NOTHING RETURNING 1)
     SELECT count(*)::integer AS count FROM inserted`,
    toColumnTexts(rows, columns),
  );
  const loaded = inserted?.count ?? 0;
  if (loaded < rows.length) {
    const [conflicting] = await findStoredRows(session, table, rows, { withOtherContent: true });
    if (conflicting) throw new RecordConflictError(table.name, conflicting.key, conflicting.line);
  }
  return loaded;
}

/** The rows whose key the table has already, in order. */
export async function findStoredRows(
  session: SqlSession,
  table: RecordTable,
  rows: readonly RecordRow[],
  { withOtherContent = false } = {},
): Promise<RecordRow[]> {
  if (rows.length === 0) return [];
  const columns = [...Object.keys(table.key), ...(withOtherContent ? [table.content] : [])];
  const sameKey = Object.entries(table.key)
    .map(([column, type]) => `stored.${column} = ${castText(type, `input.${column}`)}`)
    .join(' AND ');
  const found = await session.query<{ position: number }>(
    `SELECT input.position::integer AS position FROM ${inputTable(columns)} JOIN ${table.name} AS stored ON ${sameKey}
     ${withOtherContent ? `WHERE stored.${table.content} <> input.${table.content}` : ''} ORDER BY position`,
    toColumnTexts(rows, columns),
  );
  return found.flatMap(({ position }) => rows[position - 1] ?? []);
}

/** SQL of a table of texts with one parameter a column. */
function inputTable(columns: readonly string[]): string {
  const parameters = columns.map((_, index) => `$${index + 1}::text[]`).join(', ');
  return `unnest(${parameters}) WITH ORDINALITY AS input (${columns.join(', ')}, position)`;
}

function toColumnTexts(rows: readonly RecordRow[], columns: readonly string[]): (string | null)[][] {
  return columns.map((column) =>
    rows.map(({ key, rest }) => {
      const value = column in key ? key[column] : rest[column];
      return value === undefined || value === null ? null : String(value);
    }),
  );
}
