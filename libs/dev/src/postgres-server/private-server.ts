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
import { freePort } from '../free-ports/free-ports.js';
import { endProcess, type ServerObserver } from '../server-process.js';
import {
  initialiseCluster,
  obtainPassword,
  passwordFile,
  removeLeftovers,
  type ServerContext,
} from './cluster.js';
import { removePostgresVariables, serverEnvironment } from './environment.js';
import { PrivatePostgresError } from './errors.js';
import { findRunningServer, releaseStaleLock } from './lock-file.js';
import { programsFor, type PostgresPrograms } from './programs.js';
import { chooseUser } from './run-as.js';

export interface PrivatePostgresOptions {
  /** Installations to choose from. */
  readonly programs: readonly PostgresPrograms[];
  /** Holds the cluster, the superuser's password and the server's log; created when missing. */
  readonly folder: string;
  /** A free port when omitted. */
  readonly port?: number;
  /** False turns fsync off, so a power failure can lose data. Default true. */
  readonly durable?: boolean;
  /** Memory of the server's cache, as in `1GB`. Default 32 MB. */
  readonly sharedBuffers?: string;
  /**
   * Runs the server in a separate process group, so that Ctrl-C does not stop it before the apps that use it. Default true.
   * Tests use false, so that Ctrl-C stops the server too.
   */
  readonly ownGroup?: boolean;
  readonly observer?: ServerObserver;
}

/** A PostgreSQL server on loopback. It requires a password and has no Unix socket. */
export interface PrivatePostgres {
  /** Address of the database `postgres` for the superuser, password included. */
  readonly adminUrl: string;
  readonly port: number;
  readonly pid: number;
  readonly major: number;
  /** Closes connections, flushes data to disk and waits until the process exits. */
  stop(): Promise<void>;
  /** Sends SIGKILL, to simulate a crash. */
  kill(): Promise<void>;
  /** Starts again on the same port and data after `stop` or `kill`. */
  start(): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const LOG_FILE = 'server.log';
const MAX_LOG_CHARACTERS = 2_000;

/** Output of a failed start that is retried: another process uses the data or the port. */
const DATA_IN_USE = /lock file|shared memory block/;
const PORT_IN_USE = /could not create any TCP\/IP sockets|Address already in use/;

/**
 * Starts a server on the folder, or uses the one that already runs there. Another process may have started that one, at the same time or
 * before it was killed.
 * @throws NoPostgresError, PostgresVersionError, RootRefusedError, PrivatePostgresError
 */
export async function startPrivatePostgres(options: PrivatePostgresOptions): Promise<PrivatePostgres> {
  removePostgresVariables();
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  const folder = realpathSync(options.folder);
  const data = join(folder, 'data');
  const installed = programsFor(data, options.programs);
  const password = obtainPassword(folder, data);
  const user = chooseUser(join(installed.folder, 'postgres'), passwordFile(folder));
  const { durable = true, sharedBuffers = '32MB', ownGroup = true, observer } = options;
  const programs = user.accessiblePrograms(installed.folder);
  const context: StartContext = { folder, data, programs, user, durable, sharedBuffers, ownGroup, observer };
  if (!existsSync(data)) initialiseCluster(context);
  let server = await startOrFind(context, options.port);
  const { port } = server;
  // If the server has exited, another process may have its pid.
  const endServer = async (signals: readonly NodeJS.Signals[]): Promise<void> => {
    if (findRunningServer(data)?.pid === server.pid) await endProcess(server.pid, signals, STOP_TIMEOUT_MS);
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

interface StartContext extends ServerContext {
  readonly observer: ServerObserver | undefined;
  readonly sharedBuffers: string;
}

/** @param fixedPort undefined for any free port */
async function startOrFind(
  context: StartContext,
  fixedPort: number | undefined,
): Promise<{ pid: number; port: number }> {
  const { folder, data, user } = context;
  const deadline = Date.now() + START_TIMEOUT_MS;
  let failure = `it is still starting, see ${join(folder, LOG_FILE)}`;
  while (Date.now() < deadline) {
    const running = findRunningServer(data);
    if (running?.ready) {
      context.observer?.onRunning(running.pid);
      return running;
    }
    if (running === undefined) {
      await removeLeftovers(folder);
      releaseStaleLock(data);
      user.giveOwnership(data);
      const output = await launch(context, fixedPort ?? (await freePort()), deadline);
      if (output === undefined) continue;
      const isRetryable = DATA_IN_USE.test(output) || (PORT_IN_USE.test(output) && fixedPort === undefined);
      if (!isRetryable) throw new PrivatePostgresError(`PostgreSQL exited during startup:\n${output}`);
      failure = output;
    }
    await pause(20);
  }
  throw new PrivatePostgresError(`PostgreSQL did not start on ${data}: ${failure}`);
}

/** @returns the output of a server that exited; undefined when it is ready, or still starting at the deadline */
async function launch(
  { folder, data, programs, user, durable, sharedBuffers, ownGroup, observer }: StartContext,
  port: number,
  deadline: number,
): Promise<string | undefined> {
  const settings = {
    ...SETTINGS,
    ...(durable ? {} : NON_DURABLE_SETTINGS),
    shared_buffers: sharedBuffers,
    port: String(port),
  };
  const args = [
    '-D',
    data,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  // A separate file until the server is ready, because the server of another process may write to the log at the same time.
  const logFile = join(folder, `starting-${process.pid}-${randomBytes(4).toString('hex')}.log`);
  const log = openSync(logFile, 'wx', 0o600);
  const child = spawn(...user.command(join(programs, 'postgres'), args), {
    cwd: folder,
    env: serverEnvironment(),
    stdio: ['ignore', log, log],
    detached: ownGroup,
  });
  closeSync(log);
  const { pid } = child;
  if (pid !== undefined) {
    observer?.onRunning(pid);
    child.once('exit', (code, signal) => observer?.onEnded(pid, signal ?? `status ${code}`));
  }
  const exited = once(child, 'exit').catch((error: unknown) => {
    throw new PrivatePostgresError('PostgreSQL could not be started', { cause: error });
  });
  let isRunning = true;
  void exited.then(
    () => (isRunning = false),
    () => (isRunning = false),
  );
  const isReady = (): boolean => {
    const found = findRunningServer(data);
    return found?.pid === child.pid && found?.ready === true;
  };
  try {
    while (isRunning && !isReady() && Date.now() < deadline) await Promise.race([pause(20), exited]);
    if (!isRunning) return readFileSync(logFile, 'utf8').slice(-MAX_LOG_CHARACTERS);
    renameSync(logFile, join(folder, LOG_FILE));
    child.unref();
    return undefined;
  } finally {
    rmSync(logFile, { force: true });
  }
}

/** Errors are not logged, because their messages may contain values from SQL statements. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  jit: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

/** Of tests and demos. Autovacuum would change plans and lock tables at any moment of a test. */
const NON_DURABLE_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
};

/** Stops the server that runs on a folder, even if another process started it. Does nothing when none runs. */
export async function stopServerOn(folder: string): Promise<void> {
  const running = findRunningServer(join(realpathSync(folder), 'data'));
  if (running !== undefined) await endProcess(running.pid, STOP_SIGNALS, STOP_TIMEOUT_MS);
}

/** SIGINT requests a fast shutdown. During crash recovery, only SIGQUIT (immediate shutdown) ends the server. */
export const STOP_SIGNALS = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const;
