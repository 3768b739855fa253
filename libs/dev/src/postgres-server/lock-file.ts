import { existsSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { isAlive, processExists, readOrEmpty } from '../server-process.js';

/** The server of a data folder, as its `postmaster.pid` describes it. */
export interface RunningServer {
  readonly pid: number;
  readonly port: number;
  /** Whether it accepts connections. */
  readonly ready: boolean;
}

/** The running server of a data folder, started by this process or any other. */
export function findRunningServer(data: string): RunningServer | undefined {
  const [pid, , , port, , , , status = ''] = readOrEmpty(lockFile(data)).split('\n');
  if (!isServerOn(Number(pid), data)) return undefined;
  return { pid: Number(pid), port: Number(port), ready: status.trim() === 'ready' };
}

/** Releases the lock of an ended server. PostgreSQL itself does not do it while another program or a zombie has the process id. */
export function releaseStaleLock(data: string): void {
  const text = readOrEmpty(lockFile(data));
  const [line = ''] = text.split('\n');
  // Without such a process, PostgreSQL itself replaces the lock.
  if (!processExists(Number(line)) || isServerOn(Number(line), data)) return;
  // PostgreSQL needs the rest of the file to find processes of the last server that still use the data.
  if (readOrEmpty(lockFile(data)) === text) writeFileSync(lockFile(data), text.replace(line, NO_PROCESS));
}

/** Larger than any process id. */
const NO_PROCESS = '2147483647';

function lockFile(data: string): string {
  return join(data, 'postmaster.pid');
}

function isServerOn(pid: number, data: string): boolean {
  return isAlive(pid) && argumentsOf(pid).includes(data);
}

function argumentsOf(pid: number): string[] {
  if (existsSync('/proc/self/cmdline')) return readOrEmpty(`/proc/${pid}/cmdline`).split('\0');
  const { stdout } = spawnSync('ps', ['-ww', '-p', String(pid), '-o', 'args='], { encoding: 'utf8' });
  // PostgreSQL receives the data folder with -D.
  return stdout.split(/ -[Dc] /);
}
