import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Another process uses the folder. */
export class FolderInUseError extends Error {
  override readonly name = 'FolderInUseError';

  constructor(readonly folder: string) {
    super(`The folder ${folder} is in use by another process, and only one at a time can have it open.`);
  }
}

/** Gives the folder back. Harmless when repeated. */
export type Release = () => Promise<void>;

/**
 * Claims a folder for this process. The claim is a socket that the process listens on: it ends with the process however that
 * ends, unlike a file with a process id, which outlives a crash and may name another process afterwards.
 * @throws FolderInUseError
 */
export async function claimFolder(folder: string): Promise<Release> {
  const path = socketPath(resolve(folder));
  mkdirSync(dirname(path), { recursive: true });
  for (const lastTry of [false, true]) {
    const server = await listen(path);
    if (server !== undefined) return () => close(server);
    const found = identityOf(path);
    if (lastTry || (await answers(path))) break;
    // Another process may have taken the claim over while we asked: what is removed must be what did not answer.
    if (identityOf(path) === found) rmSync(path, { force: true });
  }
  throw new FolderInUseError(folder);
}

/** The kernel takes no more than 107 bytes; a longer path has its socket, under the path's digest, among the temporary files. */
const LONGEST_PATH = 100;

function socketPath(folder: string): string {
  const beside = `${folder}.in-use`;
  if (Buffer.byteLength(beside) <= LONGEST_PATH) return beside;
  return join(tmpdir(), `${createHash('sha256').update(folder).digest('hex').slice(0, 32)}.in-use`);
}

/** Undefined when the path is taken, by a process or by what a crashed one left behind. */
function listen(path: string): Promise<Server | undefined> {
  return new Promise((succeed, fail) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') succeed(undefined);
      else fail(error);
    });
    server.listen(path, () => {
      server.unref();
      succeed(server);
    });
  });
}

/** Tells one socket file from the next at the same path; inode numbers alone are used again at once. */
function identityOf(path: string): string | undefined {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.ino} ${stat.ctimeNs}`;
}

function answers(path: string): Promise<boolean> {
  return new Promise((succeed) => {
    const socket = createConnection(path);
    socket.once('connect', () => {
      socket.destroy();
      succeed(true);
    });
    socket.once('error', () => succeed(false));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((succeed) => server.close(() => succeed()));
}
