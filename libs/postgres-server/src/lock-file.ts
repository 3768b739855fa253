import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** What `postmaster.pid` says of the server that runs on a data folder. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** It accepts connections. */
  readonly ready: boolean;
}

/** The server that runs on a data folder, started by this process or any other. */
export function findRunning(data: string): RunningServer | undefined {
  const [pid, , , port, , , , status = ''] = textOf(lockFile(data)).split('\n');
  if (!isServerOn(Number(pid), data)) return undefined;
  return { pid: Number(pid), port: Number(port), ready: status.trim() === 'ready' };
}

/** PostgreSQL replaces the lock file of a process that is gone, but not while the number is another program's or a zombie's. */
export function releaseStaleLock(data: string): void {
  const text = textOf(lockFile(data));
  const [line = ''] = text.split('\n');
  if (!exists(Number(line)) || isServerOn(Number(line), data)) return;
  // The rest of the file stays: by it PostgreSQL finds processes of the last server that still use the data.
  if (textOf(lockFile(data)) === text) writeFileSync(lockFile(data), text.replace(line, NO_PROCESS));
}

/** Whether a process runs. One that has ended and was not waited for by its parent, as in a container without init, does not. */
export function isAlive(pid: number): boolean {
  return exists(pid) && !/^State:\s+Z/m.test(textOf(`/proc/${pid}/status`));
}

/** Larger than any process id. */
const NO_PROCESS = '2147483647';

function exists(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function lockFile(data: string): string {
  return join(data, 'postmaster.pid');
}

function isServerOn(pid: number, data: string): boolean {
  return isAlive(pid) && argumentsOf(pid).includes(data);
}

function argumentsOf(pid: number): string[] {
  if (existsSync('/proc/self/cmdline')) return textOf(`/proc/${pid}/cmdline`).split('\0');
  const { stdout } = spawnSync('ps', ['-ww', '-p', String(pid), '-o', 'args='], { encoding: 'utf8' });
  return stdout.split(/ -[Dc] /);
}

/** Empty when there is no such file, or no longer. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
