import { createHash } from 'node:crypto';
import { lstatSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ensurePrivateFolder } from './private-folder.js';

/** Another process has locked the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';

  constructor(readonly folder: string) {
    super(`The folder ${folder} is in use by another process. Stop that process, or use another folder.`);
  }
}

/** Unlocks the folder. May be called more than once. */
export type Unlock = () => Promise<void>;

/**
 * Locks a folder with a socket that this process listens on. The lock ends with the process, while a file with a process id would
 * outlive a crash.
 * @throws FolderInUseError
 */
export async function lockFolder(folder: string): Promise<Unlock> {
  const path = lockSocketOf(folder);
  ensurePrivateFolder(dirname(path));
  for (const isLastAttempt of [false, true]) {
    const server = await listen(path);
    if (server !== undefined) return () => close(server);
    const socketId = getSocketId(path);
    if (isLastAttempt || (await acceptsConnections(path))) break;
    // A socket refuses connections between its creation and its first use.
    await pause(FIRST_USE_MS);
    if (await acceptsConnections(path)) break;
    // Another process may have locked the folder meanwhile. Only the socket that refused the connections is removed.
    if (getSocketId(path) === socketId) rmSync(path, { force: true });
  }
  throw new FolderInUseError(folder);
}

/** A process creates its socket and uses it in the next system call. */
const FIRST_USE_MS = 100;

/** The socket of the folder's lock. Of a long path it depends on the temporary folder of this process. */
export const lockSocketOf = (folder: string): string => getSocketPath(resolve(folder));

const RETRY_MS = 50;

/** Runs the work while the folder, or a file, is locked. Waits for its turn. @throws FolderInUseError after the timeout */
export async function withFolderLock<T>(path: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let unlock: Unlock;
    try {
      unlock = await lockFolder(path);
    } catch (error) {
      if (!(error instanceof FolderInUseError) || Date.now() > deadline) throw error;
      await pause(RETRY_MS);
      continue;
    }
    try {
      return await work();
    } finally {
      await unlock();
    }
  }
}

/** Bytes. The kernel accepts at most 107; a longer path gets a socket in the temporary folder, named by the path's digest. */
const MAX_PATH_LENGTH = 100;

function getSocketPath(folder: string): string {
  const path = `${folder}.in-use`;
  if (Buffer.byteLength(path) <= MAX_PATH_LENGTH) return path;
  return join(tmpdir(), `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.in-use`);
}

/** Undefined if the socket exists, also if the process that made it has crashed. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(path, () => {
      server.unref();
      resolve(server);
    });
  });
}

/** Differs for every socket file at the same path. Inode numbers alone are reused at once. */
function getSocketId(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.ctimeNs}`;
}

/** Whether a process listens on a socket, such as that of a lock. */
export function acceptsConnections(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
