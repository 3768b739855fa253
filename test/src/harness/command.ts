import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@ssb/testing';
import { REPOSITORY_ROOT } from '@ssb/tools';

/** A running command of this repository. */
export interface Command {
  readonly child: ChildProcess;
  /** Everything that it has printed so far. */
  readonly output: () => string;
}

const running = new Set<ChildProcess>();

/** Runs a compiled command, e.g. `bundles/start.js`. */
export function runCommand(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Command {
  const child = spawn(process.execPath, [join(REPOSITORY_ROOT, program), ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output };
}

/** Waits until the output contains the text. */
export async function waitForOutput(
  { output }: Command,
  text: string | RegExp,
  timeoutMs: number,
): Promise<void> {
  await waitFor(
    () => `${String(text)} in the output:\n${output()}`,
    () => (typeof text === 'string' ? output().includes(text) : text.test(output())),
    timeoutMs,
  );
}

/** Waits for the end of the command. @returns the exit status; null after a signal */
export async function waitForExit({ child }: Command): Promise<number | null> {
  const [status] = (await once(child, 'close')) as [number | null];
  return status;
}

/** Sends a signal and waits for the end. @returns the exit status; null after a signal */
export async function interrupt(command: Command, signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
  const status = waitForExit(command);
  command.child.kill(signal);
  return status;
}

/** Interrupts the commands that a failed test has left running. */
export async function stopCommands(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const closed = once(child, 'close');
      child.kill('SIGINT');
      await closed;
    }),
  );
}

/** Command lines of all processes whose arguments or environment contain the folder. */
export function findProcesses(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some((file) => readIfPresent(file).includes(folder)),
    )
    .map((pid) => readIfPresent(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return '';
  }
}
