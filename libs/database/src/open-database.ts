import type { Database } from './database.js';
import { openEmbedded } from './embedded/embedded-database.js';
import { migrate, type Migration } from './migrate.js';
import { plainName } from './errors.js';
import { migrateServer } from './server/migrate-server.js';
import { serverDatabase } from './server/server-database.js';

/** What happened to a connection outside of any call, to be logged. Holds no secret. */
export interface DatabaseNotice {
  readonly what: 'connection-lost' | 'listening-lost' | 'listening-again';
  readonly reason?: string;
}

export interface OpenOptions {
  /**
   * PostgreSQL schema of these tables, made when missing, so that several apps share one database; `public` when omitted. The embedded
   * database is one app's own and knows no other than `public`.
   */
  readonly schema?: string;
  /** Most connections to a server at a time; 10 when omitted. Statements beyond them wait, five seconds at most. */
  readonly connections?: number;
  readonly onNotice?: (notice: DatabaseNotice) => void;
}

/**
 * Opens a database and brings its tables up to date.
 * @param address `postgres://…` or `postgresql://…` of a server (TLS by its `sslmode`); else a folder for embedded PostgreSQL (PGlite),
 *   made when missing, or `memory://` for one that is gone with the process
 * @throws FolderInUseError when another process has the folder open; DatabaseUnavailableError when the server cannot be reached
 */
export async function openDatabase(
  address: string,
  migrations: readonly Migration[],
  options: OpenOptions = {},
): Promise<Database> {
  if (/^postgres(?:ql)?:\/\//.test(address)) return open(address, migrations, options);
  const database = await openEmbedded(address);
  try {
    await migrate(database, migrations);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function open(
  address: string,
  migrations: readonly Migration[],
  { schema = 'public', connections = 10, onNotice = () => undefined }: OpenOptions,
): Promise<Database> {
  await migrateServer(address, plainName('schema', schema), migrations);
  return serverDatabase(address, { schema, connections, onNotice });
}
