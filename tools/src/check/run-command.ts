import { spawn } from 'node:child_process';
import { REPOSITORY_ROOT } from '../system/processes.js';

/** For compiler and linter, which are written in Go: parallel checkers repeat work, and fewer garbage collections cost less. */
export const GO_PROGRAM_ENVIRONMENT = { GOMAXPROCS: '1', GOGC: 'off', GOMEMLIMIT: '2GiB' };

export interface CommandOptions {
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly environment?: NodeJS.ProcessEnv;
  /** File descriptors of the output; `pipe` returns the output instead. */
  readonly stdout?: number | 'pipe' | 'ignore';
  readonly stderr?: number | 'pipe';
  /** Default: 30 minutes. */
  readonly timeoutMs?: number;
  /** Characters that are kept of the output. */
  readonly maxOutputLength?: number;
}

export interface CommandResult {
  readonly ok: boolean;
  /** End of the piped output, both streams in order. */
  readonly output: string;
  /** End of the piped standard output alone. */
  readonly standardOutput: string;
}

/** Several times the duration of a check on a busy machine. Jest's own timeout cannot end a test that blocks its thread. */
const TIMEOUT_MS = 30 * 60_000;

/** Characters. */
const MAX_OUTPUT_LENGTH = 100_000;

const runningProcessGroups = new Set<number>();

/** Passes a signal to every running command. */
export function endRunningCommands(signal: NodeJS.Signals): void {
  for (const group of runningProcessGroups) process.kill(-group, signal);
}

/** Runs a program in a process group of its own, so that its child processes end with it. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { cwd = REPOSITORY_ROOT, environment, stdout = 'pipe', stderr = 'pipe' } = options;
  const { timeoutMs = TIMEOUT_MS, maxOutputLength = MAX_OUTPUT_LENGTH } = options;
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', stdout, stderr],
    env: { ...process.env, ...environment },
    detached: true,
  });
  const { pid } = child;
  if (pid !== undefined) runningProcessGroups.add(pid);
  let [output, standardOutput] = ['', ''];
  const append = (text: string): void => {
    output = (output + text).slice(-maxOutputLength);
  };
  const timer = setTimeout(() => {
    append(`${program} was killed: it may take ${timeoutMs / 60_000} minutes at most.\n`);
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }, timeoutMs);
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', append);
  child.stdout?.on('data', (text: string) => {
    standardOutput = (standardOutput + text).slice(-maxOutputLength);
  });
  return new Promise((resolve) => {
    const end = (ok: boolean): void => {
      clearTimeout(timer);
      if (pid !== undefined) runningProcessGroups.delete(pid);
      resolve({ ok, output, standardOutput });
    };
    child.once('error', (error) => {
      append(`${error.message}\n`);
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}
