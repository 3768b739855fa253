import { findPostgresPrograms } from '@ssb/postgres-server';
import { findRedisProgram } from '@ssb/redis-server';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that must be installed, and its Debian package. */
export interface Program {
  /** As messages name it. */
  readonly name: string;
  readonly aptPackage: string;
  /** Path of its executable; undefined when it is not installed. */
  readonly find: (searchPath: string) => string | undefined;
}

export const REDIS: Program = { name: 'a Redis server', aptPackage: 'redis-server', find: findRedisProgram };

/** Needed only on platforms without an npm package of PostgreSQL binaries. */
export const POSTGRES: Program = {
  name: 'a PostgreSQL server',
  aptPackage: 'postgresql',
  find: (searchPath) => findPostgresPrograms(searchPath)[0]?.folder,
};

/** Tests read invoice files with it. */
export const PDFTOTEXT: Program = {
  name: 'pdftotext',
  aptPackage: 'poppler-utils',
  find: (searchPath) => findExecutable('pdftotext', searchPath),
};

/** The second engine of the message log. Tests start their own servers with it. */
export const NATS: Program = {
  name: 'a NATS server',
  aptPackage: 'nats-server',
  find: (searchPath) => findExecutable('nats-server', `${searchPath}${delimiter}/usr/sbin`),
};

/** Tests call the gateway with it, as a client of another vendor would. */
export const CURL: Program = {
  name: 'curl',
  aptPackage: 'curl',
  find: (searchPath) => findExecutable('curl', searchPath),
};

export const TEST_PROGRAMS: readonly Program[] = [REDIS, POSTGRES, PDFTOTEXT, CURL, NATS];

function findExecutable(program: string, searchPath: string): string | undefined {
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
