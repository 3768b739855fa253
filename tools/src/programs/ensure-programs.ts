import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Program } from './required-programs.js';

export interface EnsureOptions {
  readonly searchPath: string;
  /** Told before something slow begins. */
  readonly onProgress?: ((what: string) => void) | undefined;
  readonly install?: (packages: readonly string[]) => boolean;
}

/**
 * Makes sure that programs are on the machine: those that are missing are installed by apt-get, all at once, where that is possible.
 * @returns the programs that are missing still; none when all is well
 */
export function ensurePrograms(
  programs: readonly Program[],
  { searchPath, onProgress, install = installByApt }: EnsureOptions,
): Program[] {
  const missing = (): Program[] => programs.filter(({ find }) => find(searchPath) === undefined);
  const packages = missing().map(({ aptPackage }) => aptPackage);
  if (packages.length === 0) return [];
  onProgress?.(`installing ${packages.join(', ')} with apt-get …`);
  install(packages);
  return missing();
}

/** What to tell a person about programs that could not be installed. */
export function describeMissing(programs: readonly Program[]): string {
  const names = programs.map(({ name, aptPackage }) => `  ${name} (Debian package ${aptPackage})`);
  return [
    'These programs are needed and could not be installed:',
    ...names,
    'Install them, or run this as root on Debian or Ubuntu with a network, and they are installed by apt-get.',
  ].join('\n');
}

const APT_TIMEOUT_MS = 300_000;

/** Read by Debian's PostgreSQL packages while they are installed: whether to make and start a database of their own. */
const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.conf';

/** Installs packages where that is possible: as root, on Debian or Ubuntu. @returns whether apt-get said that it did */
function installByApt(packages: readonly string[]): boolean {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || spawnSync('apt-get', ['--version']).status !== 0) return false;
  keepPostgresFromStarting(packages);
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  // A fresh machine may have no package lists yet, or old ones: then they are fetched and the install is tried again.
  return apt(install) || (apt(['update', '-qq']) && apt(install));
}

/** We want the programs only. Settings that somebody has made already stay as they are. */
function keepPostgresFromStarting(packages: readonly string[]): void {
  if (!packages.includes('postgresql') || existsSync(CLUSTER_SETTINGS)) return;
  mkdirSync(dirname(CLUSTER_SETTINGS), { recursive: true });
  writeFileSync(CLUSTER_SETTINGS, 'create_main_cluster = false\n');
}

function apt(args: readonly string[]): boolean {
  // RUNLEVEL=1 keeps the packages from starting services of their own: ours are private to this project. A settings file that is there
  // already is kept without a question.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const keepSettings = ['-o', 'Dpkg::Options::=--force-confold'];
  const options = { env, stdio: 'ignore', timeout: APT_TIMEOUT_MS } as const;
  return spawnSync('apt-get', [...keepSettings, ...args], options).status === 0;
}
