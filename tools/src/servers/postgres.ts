import { createDatabase, Database } from '@ssb/database';
import { findPostgresPrograms, startPrivatePostgres, type PrivatePostgres } from '@ssb/postgres-server';
import { ensurePrograms } from '../programs/ensure-programs.js';
import { POSTGRES } from '../programs/required-programs.js';
import { withoutCredentials } from '../redis/reach-redis.js';

/** No PostgreSQL server that accepts the credentials answers at the address. */
export class UnreachableDatabaseError extends Error {
  override readonly name = 'UnreachableDatabaseError';

  constructor(url: string, reason: string) {
    super(
      `The PostgreSQL at ${withoutCredentials(url).replace(/\?.*/, '')} cannot be used: ${reason}. Start it there, or give another DATABASE_URL.`,
    );
  }
}

export interface ObtainedPostgres {
  /** Address of the database for a role that may create roles and schemas. */
  readonly adminUrl: string;
  /** Where it comes from, for the progress line. */
  readonly how: string;
  /** The server, when it is private. */
  readonly own?: PrivatePostgres;
}

export interface ObtainPostgresOptions {
  /** `DATABASE_URL` of the environment. */
  readonly url?: string;
  readonly folder: string;
  readonly searchPath: string;
  /** False for data that need not outlive a power cut. */
  readonly durable?: boolean;
  /** Called before something slow begins. */
  readonly onProgress?: (what: string) => void;
}

const DATABASE = 'settlement_bus_bridge';

/**
 * `DATABASE_URL` if set; else a private server: from the npm package, the PATH, or apt.
 * @throws UnreachableDatabaseError, NoPostgresError, PostgresVersionError, RootRefusedError, PrivatePostgresError, DatabaseUnavailableError
 */
export async function obtainPostgres({
  url,
  folder,
  searchPath,
  durable,
  onProgress,
}: ObtainPostgresOptions): Promise<ObtainedPostgres> {
  if (url) {
    await reachDatabase(url);
    return { adminUrl: await createDatabase(url, DATABASE), how: 'DATABASE_URL' };
  }
  ensurePrograms([POSTGRES], { searchPath, onProgress });
  const own = await startPrivatePostgres({ programs: findPostgresPrograms(searchPath), folder, durable });
  const adminUrl = await createDatabase(own.adminUrl, DATABASE);
  return { adminUrl, how: `PostgreSQL ${own.major}, private, port ${own.port}`, own };
}

async function reachDatabase(url: string): Promise<void> {
  const database = new Database({ url, schema: 'public', connections: 1 });
  try {
    await database.query('SELECT 1');
  } catch (error) {
    const { cause, message } = error as Error;
    throw new UnreachableDatabaseError(
      url,
      cause instanceof Error && cause.message ? cause.message : message,
    );
  } finally {
    await database.close();
  }
}
