import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@ssb/free-ports';
import { Redis } from 'ioredis';
import { findRunningServer, removeServerFile, terminateProcess, writeServerFile } from './running-server.js';

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

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
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
  /** A free port when omitted. */
  readonly port?: number;
  /**
   * Its own process group (default): Ctrl-C in a terminal does not stop it before its clients. False in tests, so that an interrupted run
   * leaves no server behind.
   */
  readonly ownGroup?: boolean;
}

/** A Redis on loopback that keeps its data: append-only file, no eviction. */
export interface PrivateRedis {
  readonly url: string;
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
 * @throws PrivateRedisError
 */
export async function startPrivateRedis(options: PrivateRedisOptions): Promise<PrivateRedis> {
  const { folder } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const running = await findRunningServer(folder);
  const port = running?.port ?? options.port ?? (await freePort());
  let pid = running?.pid ?? (await launch(options, port));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await terminateProcess(pid, signal);
    removeServerFile(folder);
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    get pid() {
      return pid;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    start: async () => {
      pid = await launch(options, port);
    },
  };
}

/** @returns the process id of a server that responds */
async function launch(
  { program, folder, ownGroup = true }: PrivateRedisOptions,
  port: number,
): Promise<number> {
  const settings: Record<string, string> = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    appendonly: 'yes',
    // With `everysec` Redis responds before it writes.
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    save: '',
  };
  const args = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: ownGroup });
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
    child.once('exit', (code) =>
      reject(new PrivateRedisError(`${program} ended with status ${code}:\n${output}`)),
    );
  });
  const { pid } = child;
  // Written before the first response, so that a later starter finds the server of a killed one.
  if (pid !== undefined) writeServerFile(folder, { pid, port });
  const waiting = new AbortController();
  try {
    await Promise.race([waitForResponse(port, waiting.signal), ended]);
  } catch (error) {
    waiting.abort();
    if (pid !== undefined) await terminateProcess(pid, 'SIGKILL');
    removeServerFile(folder);
    throw error;
  }
  // A later end of the server is no error of the start.
  ended.catch(() => undefined);
  return pid ?? 0;
}

async function waitForResponse(port: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    disconnectTimeout: 200,
  });
  redis.on('error', () => undefined);
  try {
    while (Date.now() < deadline && !signal.aborted) {
      const pong = await Promise.race([redis.ping().catch(() => undefined), pause(500)]);
      if (pong === 'PONG') return;
    }
    throw new PrivateRedisError(`Redis did not answer on port ${port} within ${START_TIMEOUT_MS / 1000} s`);
  } finally {
    redis.disconnect();
  }
}
