import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isAlive } from '../server-process.js';
import { serverEnvironment } from './environment.js';
import { PrivatePostgresError } from './errors.js';
import type { RunAs } from './run-as.js';

/** The folder of a private server and how its programs run. */
export interface ServerContext {
  readonly folder: string;
  /** Folder of the database cluster, inside `folder`. */
  readonly data: string;
  /** Folder of the programs `initdb` and `postgres`. */
  readonly programs: string;
  readonly user: RunAs;
  /** False: nothing is forced to disk. */
  readonly durable: boolean;
  /** Whether the server gets its own process group. */
  readonly ownGroup: boolean;
}

export function passwordFile(folder: string): string {
  return join(folder, 'superuser.password');
}

/** The superuser's password; created with the folder. @throws PrivatePostgresError when only the password is missing */
export function obtainPassword(folder: string, data: string): string {
  const file = passwordFile(folder);
  if (!existsSync(file)) {
    if (existsSync(data)) {
      throw new PrivatePostgresError(
        `The password of the database in ${data} is missing: put ${file} back, or move ${folder} away to start with an empty database.`,
      );
    }
    createFileOnce(file, randomBytes(24).toString('base64url'));
  }
  return readFileSync(file, 'utf8');
}

/** Creates a complete file, unless another process has just created it. */
function createFileOnce(file: string, text: string): void {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Creates the cluster in one step: other processes see either all of it or nothing. @throws PrivatePostgresError */
export function initialiseCluster({ folder, data, programs, user, durable }: ServerContext): void {
  const draft = mkdtempSync(join(folder, `initialising-${process.pid}-`));
  try {
    chmodSync(draft, 0o700);
    user.giveOwnership(draft);
    const args = [
      ...['--pgdata', draft, '--username', 'postgres', '--auth', 'scram-sha-256'],
      ...['--pwfile', passwordFile(folder), '--encoding', 'UTF8', '--locale', 'C'],
      ...(durable ? [] : ['--no-sync']),
    ];
    const { status, stderr, error } = spawnSync(...user.command(join(programs, 'initdb'), args), {
      encoding: 'utf8',
      cwd: folder,
      env: serverEnvironment(),
    });
    if (status !== 0) throw new PrivatePostgresError(`initdb failed:\n${stderr}`, { cause: error });
    renameSync(draft, data);
  } catch (error) {
    // Another starter may have created the cluster first.
    if (!existsSync(join(data, 'PG_VERSION'))) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Removes the incomplete files of killed starters. */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const starter = /^(?:initialising|starting)-(\d+)-/.exec(name)?.[1];
    if (starter === undefined || isAlive(Number(starter))) continue;
    await removeFolder(join(folder, name));
  }
}

const MAX_REMOVALS = 20;

/** The initdb of a killed starter may still be writing. Retries of `rmSync` itself do not read the folder again. */
async function removeFolder(path: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOTEMPTY' || attempt === MAX_REMOVALS) throw error;
      await pause(50 * attempt);
    }
  }
}
