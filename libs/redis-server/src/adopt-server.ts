import { readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';

const ANSWER_TIMEOUT_MS = 3_000;
const END_TIMEOUT_MS = 10_000;

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
  if (note === undefined) return undefined;
  // It may be reading its file still. A stranger that was given its number does not answer at all, and costs this wait.
  for (
    const deadline = Date.now() + ANSWER_TIMEOUT_MS;
    isAlive(note.pid) && Date.now() < deadline;
    await pause(50)
  ) {
    const found = await folderOf(note.port);
    if (found !== undefined) return found === realpathSync(folder) ? note : undefined;
  }
  return undefined;
}

/** Ends a process that may not be our child, and waits until it is gone; what does not end within ten seconds is killed. */
export async function endProcess(pid: number, signal: NodeJS.Signals): Promise<void> {
  if (!isAlive(pid)) return;
  process.kill(pid, signal);
  const killAt = Date.now() + END_TIMEOUT_MS;
  while (isAlive(pid) && Date.now() < killAt) await pause(20);
  if (!isAlive(pid)) return;
  process.kill(pid, 'SIGKILL');
  // Bounded as well: where nobody reaps orphans, as in a container without an init, the dead keep their number.
  const giveUpAt = Date.now() + 1_000;
  while (isAlive(pid) && Date.now() < giveUpAt) await pause(20);
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

function noteFile(folder: string): string {
  return join(folder, 'server.json');
}
