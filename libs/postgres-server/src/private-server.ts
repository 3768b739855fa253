import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@ssb/free-ports';
import {
  initialiseCluster,
  obtainPassword,
  passwordFile,
  removeLeftovers,
  type ServerContext,
} from './cluster.js';
import { PrivatePostgresError } from './errors.js';
import { findRunning, isAlive, releaseStaleLock } from './lock-file.js';
import { programsFor, type PostgresPrograms } from './programs.js';
import { chooseUser } from './run-as.js';

export interface PrivatePostgresOptions {
  /** Installations to choose from. */
  readonly programs: readonly PostgresPrograms[];
  /** Holds the cluster, the superuser's password and the server's log; created when missing. */
  readonly folder: string;
  /** A free port when omitted. */
  readonly port?: number;
  /** False for data that may be lost in a power cut: nothing is forced to disk. */
  readonly durable?: boolean;
  /**
   * Its own process group (default): Ctrl-C in a terminal does not stop it before the apps that use it. False in tests, so that an
   * interrupted run leaves no server behind.
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
const MAX_LOG_SHOWN = 2_000;

/** Outputs of a failed start that may be repeated: another server uses the data, or another program the port. */
const DATA_IN_USE = /lock file|shared memory block/;
const PORT_IN_USE = /could not create any TCP\/IP sockets|Address already in use/;

/**
 * Starts a server on the folder, or takes over one that already runs there: that of a killed starter, or of one that started at the same
 * time.
 * @throws NoPostgresError, PostgresVersionError, RootRefusedError, PrivatePostgresError
 */
export async function startPrivatePostgres(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const folder = realpathSync(options.folder);
  const data = join(folder, 'data');
  const installed = programsFor(data, options.programs);
  const password = obtainPassword(folder, data);
  const user = chooseUser(join(installed.folder, 'postgres'), passwordFile(folder));
  const { durable = true, ownGroup = true } = options;
  const programs = user.accessiblePrograms(installed.folder);
  const context: ServerContext = { folder, data, programs, user, durable, ownGroup };
  if (!existsSync(data)) initialiseCluster(context);
  let server = await startOrFind(context, options.port);
  const { port } = server;
  // When a server ended by itself, another process may have its id.
  const endServer = async (signals: readonly NodeJS.Signals[]): Promise<void> => {
    if (findRunning(data)?.pid === server.pid) await endProcess(server.pid, signals);
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
      server = await startOrFind(context, port);
    },
  };
}

/** @param fixedPort undefined for any free port */
async function startOrFind(
  context: ServerContext,
  fixedPort: number | undefined,
): Promise<{ pid: number; port: number }> {
  const { folder, data, user } = context;
  const deadline = Date.now() + START_TIMEOUT_MS;
  let failure = `it is still starting, see ${join(folder, LOG_FILE)}`;
  while (Date.now() < deadline) {
    const running = findRunning(data);
    if (running?.ready) return running;
    if (running === undefined) {
      removeLeftovers(folder);
      releaseStaleLock(data);
      user.giveOwnership(data);
      const output = await launch(context, fixedPort ?? (await freePort()), deadline);
      if (output === undefined) continue;
      const isRepeatable = DATA_IN_USE.test(output) || (PORT_IN_USE.test(output) && fixedPort === undefined);
      if (!isRepeatable) throw new PrivatePostgresError(`PostgreSQL ended while it started:\n${output}`);
      failure = output;
    }
    await pause(20);
  }
  throw new PrivatePostgresError(`PostgreSQL did not start on ${data}: ${failure}`);
}

/** @returns undefined when the server is ready, or still starting at the deadline; its output when it ended */
async function launch(
  { folder, data, programs, user, durable, ownGroup }: ServerContext,
  port: number,
  deadline: number,
): Promise<string | undefined> {
  const settings = { ...SETTINGS, ...(durable ? {} : TEMPORARY_SETTINGS), port: String(port) };
  const args = [
    '-D',
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  // Its own file until the server is ready: another starter's server may write to the log at the same time.
  const logFile = join(folder, `starting-${process.pid}-${randomBytes(4).toString('hex')}.log`);
  const log = openSync(logFile, 'wx', 0o600);
  const child = spawn(...user.command(join(programs, 'postgres'), args), {
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
    if (!isRunning) return readFileSync(logFile, 'utf8').slice(-MAX_LOG_SHOWN);
    renameSync(logFile, join(folder, LOG_FILE));
    child.unref();
    return undefined;
  } finally {
    rmSync(logFile, { force: true });
  }
}

/** The log contains no errors, because their messages may quote values of statements. */
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

const TEMPORARY_SETTINGS: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off' };

/** Stops the server that runs on a folder, no matter which process started it. Harmless when none runs. */
export async function stopServerOn(folder: string): Promise<void> {
  const running = findRunning(join(realpathSync(folder), 'data'));
  if (running !== undefined) await endProcess(running.pid, STOP_SIGNALS);
}

/** SIGINT is the fast shutdown. While the server recovers from a crashed session, only SIGQUIT, the immediate shutdown, ends it. */
const STOP_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const;

/** @param signals sent one after the other until the process ends */
async function endProcess(pid: number, signals: readonly NodeJS.Signals[]): Promise<void> {
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
