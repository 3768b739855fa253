import type { SqlSession, SqlValue } from '@ssb/database';

/** What a load did: a record that was there already is a success that changed nothing. */
export type LoadResult = 'loaded' | 'already-there';

/** A record with this key was published with another content: what was published is never rewritten. */
export class RecordConflictError extends Error {
  override readonly name = 'RecordConflictError';

  constructor(
    readonly table: string,
    readonly key: Readonly<Record<string, SqlValue>>,
  ) {
    super(`another ${table} published for ${JSON.stringify(key)}`);
  }
}

/** A row that is written once: found again by its key, equal when its document is. */
export interface OnceRow {
  /** Name of the table; it and the column names come from this program only. */
  table: string;
  key: Readonly<Record<string, SqlValue>>;
  document: string;
  rest?: Readonly<Record<string, SqlValue>>;
}

/** Adds the row unless it is there. @throws RecordConflictError when the key is taken by another document */
export async function insertOnce(session: SqlSession, row: OnceRow): Promise<LoadResult> {
  const { table, key, document, rest = {} } = row;
  const all = { ...key, ...rest, document };
  const columns = Object.keys(all);
  const inserted = await session.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})
     ON CONFLICT DO NOTHING RETURNING sequence`,
    Object.values(all),
  );
  if (inserted.length > 0) return 'loaded';
  const same = Object.keys(key).map((column, index) => `${column} = $${index + 1}`);
  const [existing] = await session.query<{ document: string }>(
    `SELECT document FROM ${table} WHERE ${same.join(' AND ')}`,
    Object.values(key),
  );
  if (existing?.document !== document) throw new RecordConflictError(table, key);
  return 'already-there';
}
