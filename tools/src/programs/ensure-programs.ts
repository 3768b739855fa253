import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Program } from './required-programs.js';

export interface EnsureOptions {
  readonly searchPath: string;
  /** Called before a slow step. */
  readonly onProgress?: ((what: string) => void) | undefined;
  readonly install?: (packages: readonly string[]) => boolean;
}

/**
 * Installs missing programs with apt-get where that is possible.
 * @returns the programs that are still missing
 */
export function ensurePrograms(
  programs: readonly Program[],
  { searchPath, onProgress, install = installByApt }: EnsureOptions,
): Program[] {
  const findMissing = (): Program[] => programs.filter(({ find }) => find(searchPath) === undefined);
  const packages = findMissing().map(({ aptPackage }) => aptPackage);
  if (packages.length === 0) return [];
  onProgress?.(`installing ${packages.join(', ')} with apt-get …`);
  install(packages);
  return findMissing();
}

/** An error text that lists the programs and says how to install them. */
export function describeMissing(programs: readonly Program[]): string {
  const names = programs.map(({ name, aptPackage }) => `  ${name} (Debian package ${aptPackage})`);
  return [
    'These programs are required and could not be installed:',
    ...names,
    'Install them, or run this command as root on Debian or Ubuntu with a network; it then installs them with apt-get.',
  ].join('\n');
}

const APT_TIMEOUT_MS = 300_000;

/** Debian's PostgreSQL packages read here whether to create and start a database of their own. */
const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.conf';

/** Installs packages, which is possible as root on Debian or Ubuntu. @returns true if apt-get succeeded */
function installByApt(packages: readonly string[]): boolean {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || spawnSync('apt-get', ['--version']).status !== 0) return false;
  preventPostgresStart(packages);
  const install = ['install', '-y', '-qq', '--no-install-recommends', ...packages];
  // A fresh machine may have no package lists or outdated ones. They are then updated, and the installation is repeated.
  return runApt(install) || (runApt(['update', '-qq']) && runApt(install));
}

/** Only the programs are needed. An existing settings file stays unchanged. */
function preventPostgresStart(packages: readonly string[]): void {
  if (!packages.includes('postgresql') || existsSync(CLUSTER_SETTINGS)) return;
  mkdirSync(dirname(CLUSTER_SETTINGS), { recursive: true });
  writeFileSync(CLUSTER_SETTINGS, 'create_main_cluster = false\n');
}

function runApt(args: readonly string[]): boolean {
  // RUNLEVEL=1 prevents packages from starting services. The option keeps existing settings files without a prompt.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const keepSettings = ['-o', 'Dpkg::Options::=--force-confold'];
  const options = { env, stdio: 'ignore', timeout: APT_TIMEOUT_MS } as const;
  return spawnSync('apt-get', [...keepSettings, ...args], options).status === 0;
}
