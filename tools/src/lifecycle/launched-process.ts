import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** A started process. */
export interface LaunchedProcess {
  readonly child: ChildProcess;
  /** Sends a signal to the program, which may run below `child`. */
  readonly kill: (signal: NodeJS.Signals) => void;
}

const STOP_TIMEOUT_MS = 20_000;

/** Sends a signal and waits for the end, if the process still runs. Sends SIGKILL after the timeout. */
export async function endProcess(
  { child, kill }: LaunchedProcess,
  signal: NodeJS.Signals = 'SIGTERM',
  timeoutMs = STOP_TIMEOUT_MS,
): Promise<void> {
  if (!isRunning(child)) return;
  const ended = once(child, 'exit');
  kill(signal);
  const timer = setTimeout(() => kill('SIGKILL'), timeoutMs);
  await ended;
  clearTimeout(timer);
}

export function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
