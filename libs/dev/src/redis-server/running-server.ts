import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { endProcess, isAlive } from '../server-process.js';
import { passwordFile } from './server-password.js';

const RESPONSE_TIMEOUT_MS = 30_000;
const TERMINATION_TIMEOUT_MS = 10_000;

/** A private server as its folder records it, for a later starter of the same folder. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
}

/** The server of a folder runs with a password that is not the one in the folder. */
export class RefusedPasswordError extends Error {
  override readonly name = 'RefusedPasswordError';

  constructor(
    readonly folder: string,
    { pid, port }: RunningServer,
  ) {
    super(
      `The Redis of ${folder} runs as process ${pid} on port ${port} and refuses the password in ${passwordFile(folder)}. End that process, then start again.`,
    );
  }
}

export function writeServerFile(folder: string, server: RunningServer): void {
  writeFileSync(serverFile(folder), JSON.stringify(server), { mode: 0o600 });
}

export function removeServerFile(folder: string): void {
  rmSync(serverFile(folder), { force: true });
}

/**
 * The server that an earlier, killed starter left running on this folder. It must be found before a new one starts, because two servers
 * would corrupt the append-only file.
 * @throws RefusedPasswordError
 */
export async function findRunningServer(
  folder: string,
  password: string,
): Promise<RunningServer | undefined> {
  const server = readServerFile(folder);
  // On Linux, the password is sent to no other process. Elsewhere a process that took the port may receive it.
  if (server === undefined || !mayRunIn(folder, server.pid)) return undefined;
  // The server may not respond yet, for example on a busy machine. Another process with the same id sends no response in this time.
  const deadline = Date.now() + RESPONSE_TIMEOUT_MS;
  while (isAlive(server.pid) && Date.now() < deadline) {
    const found = await identifyServer(server.port, realpathSync(folder), password);
    if (found === 'refused') throw new RefusedPasswordError(folder, server);
    if (found !== undefined) return found === 'same folder' ? server : undefined;
    await pause(50);
  }
  return undefined;
}

/** Ends a server, which may not be a child of this process. After ten seconds it is killed. */
export async function terminateProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  await endProcess(pid, [...new Set([signal, 'SIGKILL'] as const)], TERMINATION_TIMEOUT_MS);
}

function readServerFile(folder: string): RunningServer | undefined {
  try {
    const { pid, port } = JSON.parse(readFileSync(serverFile(folder), 'utf8')) as Partial<RunningServer>;
    return Number.isInteger(pid) && Number.isInteger(port) ? ({ pid, port } as RunningServer) : undefined;
  } catch {
    return undefined;
  }
}

/** @returns undefined when no server responds */
async function identifyServer(
  port: number,
  folder: string,
  password: string,
): Promise<'same folder' | 'other folder' | 'refused' | undefined> {
  const redis = connectLocally(port);
  try {
    await redis.connect();
    await redis.auth(password);
    const [, found] = await redis.config('GET', 'dir');
    return found === folder ? 'same folder' : 'other folder';
  } catch (error) {
    return error instanceof Error && /^(WRONGPASS|NOAUTH|ERR AUTH)/.test(error.message)
      ? 'refused'
      : undefined;
  } finally {
    redis.disconnect();
  }
}

/** A connection that sends nothing by itself, because a server with a password would refuse it. */
function connectLocally(port: number): Redis {
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    protocol: 2,
    disableClientInfo: true,
    enableReadyCheck: false,
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    disconnectTimeout: 200,
  });
  redis.on('error', () => undefined);
  return redis;
}

/** False when the process certainly works in another folder. Only Linux shows it. */
export function mayRunIn(folder: string, pid: number): boolean {
  try {
    return realpathSync(`/proc/${pid}/cwd`) === realpathSync(folder);
  } catch {
    return true;
  }
}

function serverFile(folder: string): string {
  return join(folder, 'server.json');
}
