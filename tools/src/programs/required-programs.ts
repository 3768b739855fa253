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

/** Fetches hadolint, and the schemas of Kubernetes. */
export const PIP: Program = {
  name: 'pip',
  aptPackage: 'python3-pip',
  find: (searchPath) => findExecutable('pip3', searchPath),
};

/** Checks metrics, alert rules and the configuration of Prometheus. */
export const PROMTOOL: Program = {
  name: 'promtool',
  aptPackage: 'prometheus',
  find: (searchPath) => findExecutable('promtool', searchPath),
};

/** Scrapes a simulated system for the pictures of the dashboards. */
export const PROMETHEUS: Program = {
  name: 'Prometheus',
  aptPackage: 'prometheus',
  find: (searchPath) => findExecutable('prometheus', searchPath),
};

/** Draws the pictures of the dashboards. */
export const CHROMIUM: Program = {
  name: 'Chromium',
  aptPackage: 'chromium',
  find: (searchPath) => findExecutable('chromium', searchPath),
};

/** Checks the configuration of Alertmanager. */
export const AMTOOL: Program = {
  name: 'amtool',
  aptPackage: 'prometheus-alertmanager',
  find: (searchPath) => findExecutable('amtool', searchPath),
};

/** Stores the objects of kube-apiserver (docs/operate/apiserver-run.md). */
export const ETCD: Program = {
  name: 'etcd',
  aptPackage: 'etcd-server',
  find: (searchPath) => findExecutable('etcd', searchPath),
};

export const TEST_PROGRAMS: readonly Program[] = [REDIS, POSTGRES, PDFTOTEXT, CURL, NATS, PIP, PROMTOOL];

export function findExecutable(program: string, searchPath: string): string | undefined {
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
