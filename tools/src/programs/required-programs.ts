import { findPostgresPrograms } from '@ssb/postgres-server';
import { findRedisProgram } from '@ssb/redis-server';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that must be on the machine, and the Debian package that it comes in. */
export interface Program {
  /** What it is for, as a message names it. */
  readonly name: string;
  readonly aptPackage: string;
  /** Its file, or undefined when it is not there. */
  readonly find: (searchPath: string) => string | undefined;
}

export const REDIS: Program = { name: 'a Redis server', aptPackage: 'redis-server', find: findRedisProgram };

/** Only where the platform has no npm package with its binaries. */
export const POSTGRES: Program = {
  name: 'a PostgreSQL server',
  aptPackage: 'postgresql',
  find: (searchPath) => findPostgresPrograms(searchPath)[0]?.folder,
};

/** The tests read the invoice files back with it. */
export const PDFTOTEXT: Program = {
  name: 'pdftotext',
  aptPackage: 'poppler-utils',
  find: (searchPath) => onPath('pdftotext', searchPath),
};

/** The message log's other engine: the tests start throw-away servers of their own with it. */
export const NATS: Program = {
  name: 'a NATS server',
  aptPackage: 'nats-server',
  find: (searchPath) => onPath('nats-server', `${searchPath}${delimiter}/usr/sbin`),
};

/** The tests speak to the gateway with it, as somebody does who has nothing of ours. */
export const CURL: Program = {
  name: 'curl',
  aptPackage: 'curl',
  find: (searchPath) => onPath('curl', searchPath),
};

/** What the tests need. */
export const TEST_PROGRAMS: readonly Program[] = [REDIS, POSTGRES, PDFTOTEXT, CURL, NATS];

function onPath(program: string, searchPath: string): string | undefined {
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
