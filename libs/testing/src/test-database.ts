import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  findPostgresPrograms,
  type PrivatePostgres,
  type PrivatePostgresOptions,
  startPrivatePostgres,
} from '@ssb/dev/postgres-server';
import pg from 'pg';

/**
 * A database for one test file on a real PostgreSQL server. The files of a Jest worker share the server, so a file that stops it must
 * start it again.
 */
export interface TestDatabase {
  /** Address of the database for the superuser. */
  readonly adminUrl: string;
  readonly port: number;
  readonly pid: number;
  /** Runs one statement as the superuser. */
  query<Row = Record<string, unknown>>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
  /** Stops the server as an operator does: connections end, committed data is kept. */
  shutDown(): Promise<void>;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
  start(): Promise<void>;
  restart(): Promise<void>;
  /** Removes the database, and the server where it is not shared. */
  close(): Promise<void>;
}

let databases = 0;

/** The server of this worker. To find the programs and a user for them takes several processes. */
let workerServer: Promise<PrivatePostgres> | undefined;

/** How a server that is not shared differs from that of tests, which keeps little in memory and forces nothing to disk. */
export type TestServer = Pick<PrivatePostgresOptions, 'durable' | 'sharedBuffers'>;

/**
 * @param options of a server of its own: with TEST_SERVERS_FOLDER the files of a worker share one
 * @throws NoPostgresError when no PostgreSQL is installed
 */
export async function createTestDatabase(options: TestServer = {}): Promise<TestDatabase> {
  const shared = process.env['TEST_SERVERS_FOLDER'];
  if (shared !== undefined && Object.keys(options).length > 0)
    throw new Error('A shared server takes no options: unset TEST_SERVERS_FOLDER, or leave them out.');
  const folder =
    shared === undefined
      ? mkdtempSync(join(tmpdir(), 'test-postgres-'))
      : join(shared, `postgres-${process.env['JEST_WORKER_ID'] ?? '1'}`);
  const server = await (shared === undefined
    ? startServer(folder, options)
    : (workerServer ??= startServer(folder, options)));
  // The previous file may have left it stopped.
  await server.start();
  const name = `test_${process.pid}_${Date.now()}_${(databases += 1)}`;
  // Without a copy of the template in the server's log.
  await runStatement(server.adminUrl, `CREATE DATABASE ${name} STRATEGY = FILE_COPY`);
  const adminUrl = server.adminUrl.replace(/\/postgres$/, `/${name}`);
  const connection = new KeptConnection(adminUrl);
  return {
    adminUrl,
    port: server.port,
    get pid() {
      return server.pid;
    },
    query: (sql, parameters) => connection.query(sql, parameters),
    shutDown: () => server.stop(),
    kill: () => server.kill(),
    start: () => server.start(),
    restart: async () => {
      await server.stop();
      await server.start();
    },
    close: async () => {
      await connection.close();
      if (shared !== undefined) await runStatement(server.adminUrl, `DROP DATABASE ${name} WITH (FORCE)`);
      else {
        await server.stop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

function startServer(folder: string, options: TestServer): Promise<PrivatePostgres> {
  return startPrivatePostgres({
    durable: false,
    ...options,
    programs: findPostgresPrograms(process.env['PATH'] ?? ''),
    folder,
    ownGroup: false,
  });
}

async function runStatement(url: string, sql: string): Promise<void> {
  const connection = new KeptConnection(url);
  try {
    await connection.query(sql);
  } finally {
    await connection.close();
  }
}

/** Runs statements over one connection, because a new one takes 14 ms of processor time. Connects again after the connection has ended. */
class KeptConnection {
  private client: Promise<pg.Client> | undefined;

  constructor(private readonly url: string) {}

  async query<Row>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const client = await (this.client ??= this.connect());
    return (await client.query(sql, [...parameters])).rows as Row[];
  }

  async close(): Promise<void> {
    const client = await this.client?.catch(() => undefined);
    await client?.end();
  }

  private async connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.url });
    let isCurrent = true;
    const forget = (): void => {
      if (isCurrent) this.client = undefined;
      isCurrent = false;
    };
    client.on('error', forget).on('end', forget);
    try {
      await client.connect();
      return client;
    } catch (error) {
      forget();
      throw error;
    }
  }
}
