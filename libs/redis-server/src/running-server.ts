import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

const RESPONSE_TIMEOUT_MS = 3_000;
const TERMINATION_TIMEOUT_MS = 10_000;
const KILL_TIMEOUT_MS = 1_000;

/** A private server as its folder records it, for a later starter of the same folder. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
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
 */
export async function findRunningServer(folder: string): Promise<RunningServer | undefined> {
  const server = readServerFile(folder);
  if (server === undefined) return undefined;
  // The server may still be loading its file. Another process with the same id sends no response in this time.
  const deadline = Date.now() + RESPONSE_TIMEOUT_MS;
  while (isAlive(server.pid) && Date.now() < deadline) {
    const found = await readDataFolder(server.port);
    if (found !== undefined) return found === realpathSync(folder) ? server : undefined;
    await pause(50);
  }
  return undefined;
}

/** Ends a process, which may not be a child of this one, and waits until it has ended. After ten seconds it is killed. */
export async function terminateProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, signal);
  if (await hasEndedWithin(pid, TERMINATION_TIMEOUT_MS)) return;
  process.kill(pid, 'SIGKILL');
  // In a container without an init process, a killed process stays visible as a zombie.
  await hasEndedWithin(pid, KILL_TIMEOUT_MS);
}

async function hasEndedWithin(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (isAlive(pid) && Date.now() < deadline) await pause(20);
  return !isAlive(pid);
}

function readServerFile(folder: string): RunningServer | undefined {
  try {
    const { pid, port } = JSON.parse(readFileSync(serverFile(folder), 'utf8')) as Partial<RunningServer>;
    return Number.isInteger(pid) && Number.isInteger(port) ? ({ pid, port } as RunningServer) : undefined;
  } catch {
    return undefined;
  }
}

/** The data folder of the server on a port; undefined when none responds. */
async function readDataFolder(port: number): Promise<string | undefined> {
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    disconnectTimeout: 200,
  });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    const [, folder] = await redis.config('GET', 'dir');
    return folder;
  } catch {
    return undefined;
  } finally {
    redis.disconnect();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function serverFile(folder: string): string {
  return join(folder, 'server.json');
}
