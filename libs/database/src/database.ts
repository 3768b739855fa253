import { mkdirSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { migrate, type Migration } from './migrate.js';
import { claimFolder, type Release } from './sole-use.js';

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
 * Opens embedded PostgreSQL (PGlite) in a folder, made when missing, and brings its tables up to date. Closing gives the folder back.
 * @param folder where the data lives, or `memory://` for a database that is gone with the process
 * @throws FolderInUseError when another process has it open
 */
export async function openDatabase(folder: string, migrations: readonly Migration[]): Promise<Database> {
  const release = await claim(folder);
  let engine: PGlite | undefined;
  const close = async (): Promise<void> => {
    try {
      if (engine !== undefined && !engine.closed) await engine.close();
    } finally {
      await release();
    }
  };
  try {
    engine = await PGlite.create(folder);
    const database = databaseOn(engine, close);
    await migrate(database, migrations);
    return database;
  } catch (error) {
    await close();
    throw error;
  }
}

async function claim(folder: string): Promise<Release> {
  if (folder.includes('://')) return () => Promise.resolve();
  const release = await claimFolder(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return release;
}

function databaseOn(engine: PGlite, close: () => Promise<void>): Database {
  return {
    query: (sql, parameters) => rows(engine, sql, parameters),
    transaction: (work) =>
      engine.transaction((tx) => work({ query: (sql, parameters) => rows(tx, sql, parameters) })),
    close,
  };
}

async function rows<Row>(
  on: Pick<PGlite, 'query'>,
  sql: string,
  parameters: readonly SqlValue[] = [],
): Promise<Row[]> {
  return (await on.query<Row>(sql, [...parameters])).rows;
}
