import { spawnSync } from 'node:child_process';
import { findRedisProgram } from '@ssb/redis';

const APT_TIMEOUT_MS = 300_000;

/**
 * A Redis server's program: from the search path, else installed by apt-get when that is possible.
 * @returns its file name, or undefined when there is none and none could be installed
 */
export function ensureRedisProgram(
  searchPath: string,
  onProgress?: (what: string) => void,
): string | undefined {
  return findRedisProgram(searchPath) ?? installByApt(searchPath, onProgress);
}

function installByApt(searchPath: string, onProgress?: (what: string) => void): string | undefined {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || spawnSync('apt-get', ['--version']).status !== 0) return undefined;
  onProgress?.('installing redis-server with apt-get …');
  const install = ['install', '-y', '-qq', '--no-install-recommends', 'redis-server'];
  // A fresh machine may have no package lists yet, or old ones: then they are fetched and the install is tried again.
  if (!apt(install) && !(apt(['update', '-qq']) && apt(install))) return undefined;
  return findRedisProgram(searchPath);
}

function apt(args: readonly string[]): boolean {
  // RUNLEVEL=1 keeps the package from starting a service of its own: ours is private to this project.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  return spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: APT_TIMEOUT_MS }).status === 0;
}
