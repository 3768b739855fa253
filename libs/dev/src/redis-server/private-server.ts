import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../free-ports/free-ports.js';
import { isExecutable, type ServerObserver } from '../server-process.js';
import { Redis } from 'ioredis';
import {
  findRunningServer,
  mayRunIn,
  removeServerFile,
  terminateProcess,
  writeServerFile,
} from './running-server.js';
import { ensurePassword, passwordFile } from './server-password.js';

/** Servers with Redis's protocol and durability, in order of preference. */
export const REDIS_PROGRAMS = ['redis-server', 'valkey-server'] as const;

/**
 * The absolute path of the first Redis server on a search path; undefined when there is none.
 * @param searchPath folders separated as in PATH
 */
export function findRedisProgram(searchPath: string): string | undefined {
  for (const program of REDIS_PROGRAMS) {
    for (const folder of searchPath.split(delimiter)) {
      const file = join(folder, program);
      if (folder !== '' && isExecutable(file)) return file;
    }
  }
  return undefined;
}

/** The private Redis ended, or did not respond in time. */
export class PrivateRedisError extends Error {
  override readonly name = 'PrivateRedisError';
}

export interface PrivateRedisOptions {
  /** Path of `redis-server` or `valkey-server`. */
  readonly program: string;
  /** Folder of the append-only file; created when missing. */
  readonly folder: string;
  /** Lines `user …` of an access control list, for further users than `default`. */
  readonly users?: readonly string[];
  /** Further settings. They are arguments, which other users see in the process list. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A free port when omitted. */
  readonly port?: number;
  /**
   * Its own process group (default): Ctrl-C in a terminal does not stop it before its clients. False in tests, so that an interrupted run
   * leaves no server behind.
   */
  readonly ownGroup?: boolean;
  readonly observer?: ServerObserver;
}

/** A Redis on loopback that keeps its data and requires a password: append-only file, no eviction. */
export interface PrivateRedis {
  /** With the password. */
  readonly url: string;
  /** File with the password; only its owner may read it. */
  readonly passwordFile: string;
  readonly port: number;
  readonly pid: number;
  /** SIGTERM; waits until it has written everything and ended. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
  /** Starts again on the same port and data after `stop` or `kill`. */
  start(): Promise<void>;
}

const START_TIMEOUT_MS = 15_000;

/**
 * Starts a server on the folder, or takes over the one that a killed starter left running there.
 * @throws PrivateRedisError, RefusedPasswordError
 */
export async function startPrivateRedis(options: PrivateRedisOptions): Promise<PrivateRedis> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const password = ensurePassword(folder);
  const running = await findRunningServer(folder, password);
  if (running !== undefined) options.observer?.onRunning(running.pid);
  const port = running?.port ?? options.port ?? (await freePort());
  let server: ServerProcess =
    running === undefined
      ? await launch(options, port, password)
      : { pid: running.pid, hasEnded: () => !mayRunIn(folder, running.pid) };
  // If the server has ended, another process may have its id.
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (!server.hasEnded()) await terminateProcess(server.pid, signal);
    removeServerFile(folder);
  };
  return {
    url: `redis://:${password}@127.0.0.1:${port}`,
    passwordFile: passwordFile(folder),
    port,
    get pid() {
      return server.pid;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    start: async () => {
      server = await launch(options, port, password);
    },
  };
}

interface ServerProcess {
  readonly pid: number;
  readonly hasEnded: () => boolean;
}

/** @returns a server that responds */
async function launch(
  { program, folder, users = [], settings: further = {}, ownGroup = true, observer }: PrivateRedisOptions,
  port: number,
  password: string,
): Promise<ServerProcess> {
  const settings: Record<string, string> = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    appendonly: 'yes',
    // With `everysec` Redis responds before it writes.
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    save: '',
    ...further,
  };
  // `-` reads further settings from the standard input. Other users see arguments in the process list.
  const args = ['-', ...Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value])];
  // Redis has no setting for the mode of its files. `exec` keeps the process id.
  const child = spawn('/bin/sh', ['-c', 'umask 077; exec "$0" "$@"', program, ...args], {
    cwd: folder,
    // Redis needs no variable, and those of the starter may hold secrets.
    env: {},
    stdio: 'pipe',
    detached: ownGroup,
  });
  // A program that ends at once reads nothing; its exit is reported.
  child.stdin.on('error', () => undefined);
  child.stdin.end([`requirepass ${password}`, ...users, ''].join('\n'));
  let output = '';
  const keepOutput = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-2_000);
  };
  child.stdout.on('data', keepOutput);
  child.stderr.on('data', keepOutput);
  const ended = new Promise<never>((_, reject) => {
    child.once('error', (cause) =>
      reject(new PrivateRedisError(`${program} could not be started`, { cause })),
    );
    child.once('exit', (code, signal) => {
      const reason = signal ?? `status ${code}`;
      reject(new PrivateRedisError(`${program} ended with ${reason}:\n${output}`));
      observer?.onEnded(child.pid ?? 0, reason);
    });
  });
  const { pid } = child;
  if (pid !== undefined) observer?.onRunning(pid);
  // Written before the first response, so that a later starter finds the server of a killed one.
  if (pid !== undefined) writeServerFile(folder, { pid, port });
  const waiting = new AbortController();
  try {
    await Promise.race([waitForResponse(port, password, waiting.signal), ended]);
  } catch (error) {
    waiting.abort();
    if (pid !== undefined) await terminateProcess(pid, 'SIGKILL');
    removeServerFile(folder);
    throw error;
  }
  // A later end of the server is not an error of the start.
  ended.catch(() => undefined);
  return { pid: pid ?? 0, hasEnded: () => child.exitCode !== null || child.signalCode !== null };
}

async function waitForResponse(port: number, password: string, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    password,
    lazyConnect: true,
    // The check waits for at least a second while the server loads its file.
    enableReadyCheck: false,
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    disconnectTimeout: 200,
  });
  redis.on('error', () => undefined);
  try {
    while (Date.now() < deadline && !signal.aborted) {
      const pong = await Promise.race([redis.ping().catch(() => undefined), pause(500)]);
      if (pong === 'PONG') return;
      await pause(20);
    }
    throw new PrivateRedisError(`Redis did not respond on port ${port} within ${START_TIMEOUT_MS / 1000} s`);
  } finally {
    redis.disconnect();
  }
}
