import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@ssb/free-ports';
import { Redis } from 'ioredis';
import { endProcess, findLeftServer, removeNote, writeNote } from './adopt-server.js';

/** The private Redis ended, or did not answer in time. */
export class PrivateRedisError extends Error {
  override readonly name = 'PrivateRedisError';
}

export interface PrivateRedisOptions {
  /** The server's program: `redis-server` or `valkey-server`. */
  readonly program: string;
  /** Folder of its append-only file; made when missing. */
  readonly folder: string;
  /** A free port when omitted. */
  readonly port?: number;
  /**
   * In a process group of its own (default), so that Ctrl-C in a terminal does not stop Redis before those who still write to it. A
   * test's server stays in the test's group, so that an interrupted run leaves none behind.
   */
  readonly ownGroup?: boolean;
}

/** A Redis of our own on loopback, that keeps what it is given: append-only file, nothing evicted. */
export interface PrivateRedis {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** SIGTERM, and wait until it has written everything and ended. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would. */
  kill(): Promise<void>;
  /** Starts again on the same port and data after `stop` or `kill`. */
  start(): Promise<void>;
}

const START_TIMEOUT_MS = 15_000;

/** Starts a server on the folder, or takes over the one that a killed starter left running there. */
export async function startPrivateRedis({
  program,
  folder,
  port,
  ownGroup = true,
}: PrivateRedisOptions): Promise<PrivateRedis> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const left = await findLeftServer(folder);
  const chosen = left?.port ?? port ?? (await freePort());
  let pid = left?.pid ?? (await launch(program, folder, chosen, ownGroup));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    await endProcess(pid, signal);
    removeNote(folder);
  };
  return {
    url: `redis://127.0.0.1:${chosen}`,
    port: chosen,
    get pid() {
      return pid;
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
    start: async () => {
      pid = await launch(program, folder, chosen, ownGroup);
    },
  };
}

/** @returns the process id of a server that answers */
async function launch(program: string, folder: string, port: number, ownGroup: boolean): Promise<number> {
  const settings: Record<string, string> = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    appendonly: 'yes',
    // Every second would answer before it has written, while the last second's fsync runs.
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
    save: '',
  };
  const args = Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value]);
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: ownGroup });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-2_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (cause) =>
      reject(new PrivateRedisError(`${program} could not be started`, { cause })),
    );
    child.once('exit', (code) =>
      reject(new PrivateRedisError(`${program} ended with status ${code}:\n${output}`)),
    );
  });
  const { pid } = child;
  // Noted before it answers: a starter killed meanwhile must not leave a server that nobody finds.
  if (pid !== undefined) writeNote(folder, { pid, port });
  const waiting = new AbortController();
  try {
    await Promise.race([answers(port, waiting.signal), failed]);
  } catch (error) {
    waiting.abort();
    if (pid !== undefined) await endProcess(pid, 'SIGKILL');
    removeNote(folder);
    throw error;
  }
  failed.catch(ignoreLaterExit);
  return pid ?? 0;
}

/** Once the server has answered, its end is the business of whoever stops it. */
function ignoreLaterExit(): void {
  return;
}

async function answers(port: number, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    retryStrategy: () => 20,
    maxRetriesPerRequest: null,
    disconnectTimeout: 200,
  });
  redis.on('error', ignoreLaterExit);
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
