import { createDatabase, Database } from '@ssb/postgres';
import {
  findPostgresPrograms,
  removePostgresVariables,
  startPrivatePostgres,
  STOP_SIGNALS,
} from '@ssb/dev/postgres-server';
import { ensurePrograms } from '../programs/ensure-programs.js';
import { POSTGRES } from '../programs/required-programs.js';
import { hideQuery } from '../report/addresses.js';
import { type ObtainOptions, SupervisedServer } from './supervised-server.js';

/** No PostgreSQL server that accepts the credentials responds at an address. */
export class UnreachableDatabaseError extends Error {
  override readonly name = 'UnreachableDatabaseError';

  constructor(url: string, reason: string) {
    super(
      `The PostgreSQL at ${hideQuery(url)} cannot be used: ${reason}. Start it there, or set another DATABASE_URL.`,
    );
  }
}

export interface ObtainedPostgres {
  /** URL of the database for a role that may create roles and schemas. */
  readonly adminUrl: string;
  /** Where it comes from, for the progress line. */
  readonly source: string;
  /** The private server, which the caller stops; undefined with `DATABASE_URL`. */
  readonly server?: SupervisedServer;
}

export interface ObtainPostgresOptions extends ObtainOptions {
  /** `DATABASE_URL` of the environment. */
  readonly url?: string | undefined;
  /** False if a power cut may lose data. */
  readonly durable?: boolean | undefined;
}

const DATABASE = 'settlement_bus_bridge';

/**
 * Uses `DATABASE_URL` if it is set. Otherwise starts a private server from the npm package, PATH or apt-get.
 * @throws UnreachableDatabaseError, NoPostgresError, PostgresVersionError, RootRefusedError, PrivatePostgresError, DatabaseUnavailableError
 */
export async function obtainPostgres({
  url,
  folder,
  searchPath,
  durable,
  supervision,
  onProgress,
}: ObtainPostgresOptions): Promise<ObtainedPostgres> {
  if (url) {
    // The apps do not get these variables either.
    removePostgresVariables();
    await checkPostgres(url);
    return { adminUrl: await createDatabase(url, DATABASE), source: 'DATABASE_URL' };
  }
  ensurePrograms([POSTGRES], { searchPath, onProgress });
  const supervised = new SupervisedServer({
    ...supervision,
    name: 'PostgreSQL',
    folder,
    signals: STOP_SIGNALS,
  });
  const server = await startPrivatePostgres({
    programs: findPostgresPrograms(searchPath),
    folder,
    durable,
    observer: supervised.observer,
  });
  supervised.supervise(server);
  const adminUrl = await createDatabase(server.adminUrl, DATABASE);
  return { adminUrl, source: `PostgreSQL ${server.major}, private, port ${server.port}`, server: supervised };
}

async function checkPostgres(url: string): Promise<void> {
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
