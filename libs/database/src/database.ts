import { mkdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { migrate, type Migration } from './migrate.js';

/** A value that a statement takes. Numbers with more digits than a double holds travel as text. */
export type SqlValue = string | number | bigint | boolean | Date | Uint8Array | null | readonly string[];

export interface SqlSession {
  /**
   * Runs one statement.
   * @param parameters values of `$1`, `$2`, …
   * @returns the rows, empty when the statement returns none
   * @throws the engine's error, with its SQLSTATE in `code`
   */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly SqlValue[]): Promise<Row[]>;
}

/** SQL storage. What a transaction wrote is on disk once its promise resolves. */
export interface Database extends SqlSession {
  /** All or nothing: rolled back when `work` throws, and the error passed on. One at a time; others wait. */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /** Waits for what runs, then closes. Harmless when repeated. */
  close(): Promise<void>;
}

/**
 * Opens embedded PostgreSQL (PGlite) in a folder, made when missing, and brings its tables up to date. One process at a time.
 * @param folder where the data lives, or `memory://` for a database that is gone with the process
 */
export async function openDatabase(folder: string, migrations: readonly Migration[]): Promise<Database> {
  if (!folder.includes('://')) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const engine = await PGlite.create(folder);
  const database: Database = {
    query: (sql, parameters) => rows(engine, sql, parameters),
    transaction: (work) =>
      engine.transaction((tx) => work({ query: (sql, parameters) => rows(tx, sql, parameters) })),
    close: async () => {
      if (!engine.closed) await engine.close();
    },
  };
  try {
    await migrate(database, migrations);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

async function rows<Row>(
  on: Pick<PGlite, 'query'>,
  sql: string,
  parameters: readonly SqlValue[] = [],
): Promise<Row[]> {
  return (await on.query<Row>(sql, [...parameters])).rows;
}
