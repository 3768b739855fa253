import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@ssb/free-ports';
import { findRunning, isAlive, releaseStaleLock } from './lock-file.js';
import { programsFor, type PostgresPrograms } from './programs.js';
import { runAs, type RunAs } from './run-as.js';

/** The private server could not be set up or started. */
export class PrivatePostgresError extends Error {
  override readonly name = 'PrivatePostgresError';
}

export interface PrivatePostgresOptions {
  /** Installations to choose from. */
  readonly programs: readonly PostgresPrograms[];
  /** Holds the cluster, the superuser's password and the server's log; made when missing. */
  readonly folder: string;
  /** A free port when omitted. */
  readonly port?: number;
  /** False for data that need not outlive a power cut: nothing is forced to disk. */
  readonly durable?: boolean;
  /**
   * In a process group of its own (default): Ctrl-C in a terminal then does not stop it before the apps that use it. False in tests, so that
   * an interrupted run leaves no server behind.
   */
  readonly ownGroup?: boolean;
}

/** A PostgreSQL server on loopback. It requires a password and has no Unix socket. */
export interface PrivatePostgres {
  /** Address of the database `postgres` for the superuser, password included. */
  readonly adminUrl: string;
  readonly port: number;
  readonly pid: number;
  readonly major: number;
  /** Ends connections, writes everything and waits for the end. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
  /** Starts again on the same port and data after `stop` or `kill`. */
  start(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const LOG_FILE = 'server.log';
const LOG_SHOWN = 2_000;

/** Only one of them is right when a start fails: another server has the data, or something else has the port. */
const DATA_IN_USE = /lock file|shared memory block/;
const PORT_IN_USE = /could not create any TCP\/IP sockets|Address already in use/;

/**
 * Starts a server on the folder, or takes over one that already runs there: that of a killed starter, or of one that started at the same
 * moment.
 * @throws NoPostgresError, PostgresVersionError, RootRefusedError, PrivatePostgresError
 */
export async function startPrivatePostgres(given: PrivatePostgresOptions): Promise<PrivatePostgres> {
  mkdirSync(given.folder, { recursive: true, mode: 0o700 });
  const options = { ...given, folder: realpathSync(given.folder) };
  const { folder, programs } = options;
  const data = join(folder, 'data');
  const found = programsFor(data, programs);
  const password = superuserPassword(folder, data);
  const user = runAs(join(found.folder, 'postgres'), passwordFile(folder));
  const installed = { ...found, folder: user.programs(found.folder) };
  if (!existsSync(data)) initialise(options, installed, user, data);
  let server = await startOrFind(options, installed, user, data);
  const { port } = server;
  // Another process may have been given the number of a server that ended by itself.
  const endServer = async (signals: readonly NodeJS.Signals[]): Promise<void> => {
    if (findRunning(data)?.pid === server.pid) await end(server.pid, signals);
  };
  return {
    adminUrl: `postgres://postgres:${password}@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return server.pid;
    },
    major: installed.major,
    stop: () => endServer(STOP_SIGNALS),
    kill: () => endServer(['SIGKILL']),
    start: async () => {
      server = await startOrFind({ ...options, port }, installed, user, data);
    },
  };
}

function passwordFile(folder: string): string {
  return join(folder, 'superuser.password');
}

function superuserPassword(folder: string, data: string): string {
  const file = passwordFile(folder);
  if (!existsSync(file)) {
    if (existsSync(data)) {
      throw new PrivatePostgresError(
        `The password of the database in ${data} is missing: put ${file} back, or move ${folder} away to start with an empty database.`,
      );
    }
    writeOnce(file, randomBytes(24).toString('base64url'));
  }
  return readFileSync(file, 'utf8');
}

/** Writes a whole file, unless another process has just written it. */
function writeOnce(file: string, text: string): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, text, { mode: 0o600, flush: true });
  try {
    linkSync(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** In one step for other processes: a cluster is either whole or not there. */
function initialise(
  { folder, durable = true }: PrivatePostgresOptions,
  { folder: bin }: PostgresPrograms,
  user: RunAs,
  data: string,
): void {
  const fresh = mkdtempSync(join(folder, `initialising-${process.pid}-`));
  try {
    chmodSync(fresh, 0o700);
    user.own(fresh);
    const args = [
      ...['--pgdata', fresh, '--username', 'postgres', '--auth', 'scram-sha-256'],
      ...['--pwfile', passwordFile(folder), '--encoding', 'UTF8', '--locale', 'C'],
      ...(durable ? [] : ['--no-sync']),
    ];
    const { status, stderr, error } = spawnSync(...user.command(join(bin, 'initdb'), args), {
      encoding: 'utf8',
      cwd: folder,
    });
    if (status !== 0) throw new PrivatePostgresError(`initdb failed:\n${stderr}`, { cause: error });
    renameSync(fresh, data);
  } catch (error) {
    // Another starter was faster: its cluster is as good.
    if (!existsSync(join(data, 'PG_VERSION'))) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function startOrFind(
  options: PrivatePostgresOptions,
  programs: PostgresPrograms,
  user: RunAs,
  data: string,
): Promise<{ pid: number; port: number }> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let failure = `it is still starting, see ${join(options.folder, LOG_FILE)}`;
  while (Date.now() < deadline) {
    const running = findRunning(data);
    if (running?.ready) return running;
    if (running === undefined) {
      removeLeftovers(options.folder);
      releaseStaleLock(data);
      user.own(data);
      const port = options.port ?? (await freePort());
      const output = await launch(options, programs, user, data, { port, deadline });
      if (output === undefined) continue;
      const repeatable = DATA_IN_USE.test(output) || (PORT_IN_USE.test(output) && options.port === undefined);
      if (!repeatable) throw new PrivatePostgresError(`PostgreSQL ended while it started:\n${output}`);
      failure = output;
    }
    await pause(20);
  }
  throw new PrivatePostgresError(`PostgreSQL did not start on ${data}: ${failure}`);
}

/** The initdb of a starter that was killed may go on writing. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };

/** What a starter that was killed left half done. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const starter = /^(?:initialising|starting)-(\d+)-/.exec(name)?.[1];
    if (starter === undefined || isAlive(Number(starter))) continue;
    rmSync(join(folder, name), REMOVAL);
  }
}

/** @returns undefined when the server is ready, or still starting at the deadline; what it printed when it ended */
async function launch(
  { folder, durable = true, ownGroup = true }: PrivatePostgresOptions,
  { folder: bin }: PostgresPrograms,
  user: RunAs,
  data: string,
  { port, deadline }: { port: number; deadline: number },
): Promise<string | undefined> {
  const settings = { ...SETTINGS, ...(durable ? {} : THROW_AWAY_SETTINGS), port: String(port) };
  const args = [
    '-D',
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  // Another starter's server may write at the same time, so each has a file of its own until it is ready.
  const logFile = join(folder, `starting-${process.pid}-${randomBytes(4).toString('hex')}.log`);
  const log = openSync(logFile, 'wx', 0o600);
  const child = spawn(...user.command(join(bin, 'postgres'), args), {
    cwd: folder,
    stdio: ['ignore', log, log],
    detached: ownGroup,
  });
  closeSync(log);
  const ended = once(child, 'exit').catch((error: unknown) => {
    throw new PrivatePostgresError('PostgreSQL could not be started', { cause: error });
  });
  let isRunning = true;
  void ended.then(
    () => (isRunning = false),
    () => (isRunning = false),
  );
  const isReady = (): boolean => {
    const found = findRunning(data);
    return found?.pid === child.pid && found?.ready === true;
  };
  try {
    while (isRunning && !isReady() && Date.now() < deadline) await Promise.race([pause(20), ended]);
    if (!isRunning) return readFileSync(logFile, 'utf8').slice(-LOG_SHOWN);
    renameSync(logFile, join(folder, LOG_FILE));
    child.unref();
    return undefined;
  } finally {
    rmSync(logFile, { force: true });
  }
}

/** Nothing of a statement or its values gets into the log: an error's message may quote a value, so the log has no errors. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '32MB',
  jit: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

const THROW_AWAY_SETTINGS: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off' };

/** Stops the server that runs on a folder, no matter which process started it. Harmless when none does. */
export async function stopServerOn(folder: string): Promise<void> {
  const running = findRunning(join(realpathSync(folder), 'data'));
  if (running !== undefined) await end(running.pid, STOP_SIGNALS);
}

/**
 * SIGINT is the server's fast shutdown. It does not end while the server recovers from the crash of a session; SIGQUIT, the immediate one,
 * does.
 */
const STOP_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const;

/** @param signals the next one follows when one does not end the server in time */
async function end(pid: number, signals: readonly NodeJS.Signals[]): Promise<void> {
  for (const signal of signals) {
    if (!isAlive(pid)) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as { code?: string }).code === 'ESRCH') return;
      throw error;
    }
    const deadline = Date.now() + STOP_TIMEOUT_MS;
    while (isAlive(pid) && Date.now() < deadline) await pause(10);
  }
}
