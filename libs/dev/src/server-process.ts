import { accessSync, constants, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Notified of the processes of a private server. */
export interface ServerObserver {
  /** A process was created, and may not respond yet; or a running one was taken over. May be called again for the same process. */
  readonly onRunning: (pid: number) => void;
  /** A process that was started here has ended, also one that was stopped. */
  readonly onEnded: (pid: number, reason: string) => void;
}

/** Whether a process runs. A zombie, as in a container without an init process, does not. */
export function isAlive(pid: number): boolean {
  return processExists(pid) && !hasEnded(readOrEmpty(`/proc/${pid}/status`));
}

/** Whether a process is a zombie. Its first thread may be one while others still hold its files and ports. @param status as in `/proc` */
export function hasEnded(status: string): boolean {
  return /^State:\s+Z/m.test(status) && /^Threads:\s+1$/m.test(status);
}

export function processExists(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Ends a process, which may not be a child of this one.
 * @param signals sent in this order, each after this time, until the process has ended
 */
export async function endProcess(
  pid: number,
  signals: readonly NodeJS.Signals[],
  timeoutMs: number,
): Promise<void> {
  for (const signal of signals) {
    if (!isAlive(pid)) return;
    try {
      process.kill(pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
      throw error;
    }
    const deadline = Date.now() + timeoutMs;
    while (isAlive(pid) && Date.now() < deadline) await pause(10);
  }
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Empty when the file does not exist. */
export function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
