import { join } from 'node:path';
import { REPOSITORY_ROOT } from '../system/processes.js';

const CHECK_INTERVAL_MS = 1_000;

/**
 * Whether npm runs this process as the `start` script of this repository, so that its parent is npm, which waits for it. Any other parent,
 * such as a shell, may end before its processes do.
 */
export function isStartedByNpm(environment: NodeJS.ProcessEnv): boolean {
  const { npm_lifecycle_event: script, npm_package_json: file } = environment;
  return script === 'start' && file === join(REPOSITORY_ROOT, 'package.json');
}

/** Calls `onEnd` once when npm, the parent of this process, has ended, as by `kill -9`: then npm forwards no signal any more. */
export function onEndOfNpm(onEnd: () => void, intervalMs = CHECK_INTERVAL_MS): void {
  if (!isStartedByNpm(process.env)) return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    onEnd();
  }, intervalMs);
  timer.unref();
}
