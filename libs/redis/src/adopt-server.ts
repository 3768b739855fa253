import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** Where a private server is found again by a later starter of the same folder. */
export interface ServerNote {
  readonly pid: number;
  readonly port: number;
}

export function writeNote(folder: string, note: ServerNote): void {
  writeFileSync(noteFile(folder), JSON.stringify(note), { mode: 0o600 });
}

export function removeNote(folder: string): void {
  rmSync(noteFile(folder), { force: true });
}

/**
 * A server that an earlier starter, killed outright, has left running on this folder. Two servers on one append-only file would ruin
 * it, so the old one must be found before a new one is started.
 */
export async function findLeftServer(folder: string): Promise<ServerNote | undefined> {
  const note = readNote(folder);
  if (note === undefined || !isAlive(note.pid)) return undefined;
  return (await folderOf(note.port)) === realpathSync(folder) ? note : undefined;
}

/** Ends a process that is not our child, and waits until it is gone. */
export async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, signal);
  while (isAlive(pid)) await pause(20);
}

function readNote(folder: string): ServerNote | undefined {
  try {
    const { pid, port } = JSON.parse(readFileSync(noteFile(folder), 'utf8')) as Partial<ServerNote>;
    return Number.isInteger(pid) && Number.isInteger(port) ? ({ pid, port } as ServerNote) : undefined;
  } catch {
    return undefined;
  }
}

/** The folder that the server on a port keeps its data in; undefined when none answers. */
async function folderOf(port: number): Promise<string | undefined> {
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
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

function noteFile(folder: string): string {
  return join(folder, 'server.json');
}
