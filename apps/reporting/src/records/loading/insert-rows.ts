import type { SqlSession } from '@ssb/database';
import { RecordConflictError } from '../record-conflict-error.js';
import { fromText, type OnceRow, type OnceTable } from './once-table.js';

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
  const values = columns.map((column) => rows.map((row) => textOf(row, column)));
  const given = `unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')}) WITH ORDINALITY AS given (${columns.join(', ')}, place)`;
  const [written] = await session.query<{ count: number }>(
    `WITH written AS (
       INSERT INTO ${table.name} (${columns.join(', ')})
       SELECT ${columns.map((column) => fromText(types[column] ?? 'text', `given.${column}`)).join(', ')}
       FROM ${given} ORDER BY place
       ON CONFLICT DO NOTHING RETURNING 1)
     SELECT count(*)::integer AS count FROM written`,
    values,
  );
  const loaded = written?.count ?? 0;
  if (loaded < rows.length) await refuseOtherContent(session, table, rows);
  return loaded;
}

/** What was there already must be the same record: what was published is never rewritten. */
async function refuseOtherContent(
  session: SqlSession,
  table: OnceTable,
  rows: readonly OnceRow[],
): Promise<void> {
  const columns = [...Object.keys(table.key), table.content];
  const same = Object.entries(table.key)
    .map(([column, type]) => `there.${column} = ${fromText(type, `given.${column}`)}`)
    .join(' AND ');
  const [other] = await session.query<{ place: number }>(
    `SELECT given.place::integer AS place
     FROM unnest(${columns.map((_, index) => `$${index + 1}::text[]`).join(', ')}) WITH ORDINALITY AS given (${columns.join(', ')}, place)
     JOIN ${table.name} AS there ON ${same}
     WHERE there.${table.content} <> given.${table.content} ORDER BY place LIMIT 1`,
    columns.map((column) => rows.map((row) => textOf(row, column))),
  );
  const refused = other && rows[other.place - 1];
  if (refused) throw new RecordConflictError(table.name, refused.key, refused.line);
}

function textOf(row: OnceRow, column: string): string | null {
  const value = column in row.key ? row.key[column] : row.rest[column];
  return value === undefined || value === null ? null : String(value);
}
