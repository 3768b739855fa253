import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

/** Reads one line when the guard is released. The end of the input without a line means that the starter has ended. */
const SCRIPT = `
read -r released && exit
process=$1
shift
for signal in "$@"; do
  kill -s "$signal" "$process" || exit
  tries=0
  while kill -0 "$process" && [ "$tries" -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
done 2>/dev/null`;

/**
 * Ends a process when this one ends, also by SIGKILL. A shell waits for the end of its input, which only this process holds open. It has its own
 * process group, so that Ctrl-C does not end it.
 */
export class ProcessGuard {
  private readonly shell: ChildProcess;
  private readonly ended: Promise<unknown>;

  /** @param signals sent in this order, ten seconds apart, until the process has ended */
  constructor(pid: number, signals: readonly NodeJS.Signals[]) {
    const names = signals.map((signal) => signal.replace(/^SIG/, ''));
    this.shell = spawn('/bin/sh', ['-c', SCRIPT, 'process-guard', String(pid), ...names], {
      env: { PATH: process.env['PATH'] },
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    // Without a shell, the process is only found again by the next start.
    this.ended = once(this.shell, 'close').catch(() => undefined);
    // A shell that was killed reads nothing.
    this.shell.stdin?.on('error', () => undefined);
    this.shell.unref();
    (this.shell.stdin as Socket | null)?.unref();
  }

  /** The process may outlive this one. */
  async release(): Promise<void> {
    this.shell.ref();
    this.shell.stdin?.end('released\n');
    await this.ended;
  }
}
