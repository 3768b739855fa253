import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import {
  startPrivatePostgres,
  stopServerOn,
  type PrivatePostgres,
  type PrivatePostgresOptions,
} from '../src/postgres-server/private-server.js';
import { findPostgresPrograms } from '../src/postgres-server/programs.js';

export const LIBRARY = fileURLToPath(new URL('../..', import.meta.url));

export interface StarterOptions {
  /** Copy of this library to use. */
  readonly library?: string;
  readonly uid?: number;
}

export type StartedServer = Pick<PrivatePostgres, 'adminUrl' | 'pid' | 'port'>;

/** Imports the compiled code, because a new process cannot run the sources. */
const STARTER = `
  const [library, folder, uid] = process.argv.slice(1);
  if (uid !== undefined) {
    process.setgroups([]);
    process.setgid(Number(uid));
    process.setuid(Number(uid));
  }
  const { findPostgresPrograms, startPrivatePostgres } = await import(library + '/dist/src/postgres-server/index.js');
  const programs = findPostgresPrograms(process.env.PATH);
  const { adminUrl, pid, port } = await startPrivatePostgres({ programs, folder, durable: false });
  console.log(JSON.stringify({ adminUrl, pid, port }));
  process.stdin.resume();
`;

/** A folder for a private server, inside a folder that is closed to other users. */
export class ServerFolder {
  readonly parent = mkdtempSync(join(tmpdir(), 'private-postgres-'));
  readonly path = join(this.parent, 'postgres');

  private readonly programs;

  constructor(private readonly searchPath: string) {
    this.programs = findPostgresPrograms(searchPath);
  }

  start(options: Partial<PrivatePostgresOptions> = {}): Promise<PrivatePostgres> {
    return startPrivatePostgres({
      programs: this.programs,
      folder: this.path,
      durable: false,
      ownGroup: false,
      ...options,
    });
  }

  /** Spawns a process that starts the server and ends when its standard input ends. */
  spawnStarter({ library = LIBRARY, uid }: StarterOptions = {}): ChildProcessWithoutNullStreams {
    const args = [library, this.path, ...(uid === undefined ? [] : [String(uid)])];
    return spawn(process.execPath, ['--input-type=module', '--eval', STARTER, ...args], {
      cwd: '/',
      env: { PATH: this.searchPath },
    });
  }

  /** Starts the server in another process, which has ended when the promise resolves. */
  async startInProcess(options: StarterOptions = {}): Promise<StartedServer> {
    const starter = this.spawnStarter(options);
    starter.stdin.end();
    const [output, errors, [status]] = await Promise.all([
      text(starter.stdout),
      text(starter.stderr),
      once(starter, 'close') as Promise<[number | null]>,
    ]);
    if (status !== 0) throw new Error(errors);
    return JSON.parse(output) as StartedServer;
  }

  async stop(): Promise<void> {
    if (existsSync(this.path)) await stopServerOn(this.path);
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.parent, { recursive: true, maxRetries: 10 });
  }
}

/** The values of all rows. */
export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  // A broken connection also fails the query.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows.flat();
  } finally {
    await client.end();
  }
}
