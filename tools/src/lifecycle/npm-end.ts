import { isAlive } from '@ssb/dev/postgres-server';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

const CHECK_INTERVAL_MS = 1_000;

/**
 * Whether npm runs this process as the `start` script of this repository, and so waits for it. Any other starter, such as a shell, may end
 * before its processes do.
 */
export function isStartedByNpm(environment: NodeJS.ProcessEnv): boolean {
  const { npm_lifecycle_event: script, npm_package_json: file } = environment;
  return script === 'start' && file === join(REPOSITORY_ROOT, 'package.json');
}

/** Calls `onEnd` once when npm, which started this process, has ended without it, as by `kill -9`. */
export function onEndOfNpm(onEnd: () => void, intervalMs = CHECK_INTERVAL_MS): void {
  const npm = isStartedByNpm(process.env) ? findNpm() : undefined;
  if (npm === undefined) return;
  const timer = setInterval(() => {
    if (isAlive(npm)) return;
    clearInterval(timer);
    onEnd();
  }, intervalMs);
  timer.unref();
}

/** Skips the shell in which npm runs a script; some shells replace themselves. Undefined without the program `ps`. */
function findNpm(): number | undefined {
  const { stdout } = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(process.ppid)], { encoding: 'utf8' });
  const [, parent, name = ''] = /^\s*(\d+)\s+(.*\S)/.exec(stdout ?? '') ?? [];
  if (parent === undefined) return undefined;
  return name.endsWith('sh') ? Number(parent) : process.ppid;
}
