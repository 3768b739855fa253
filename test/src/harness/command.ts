import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@ssb/testing';
import { REPOSITORY_ROOT } from '@ssb/tools';

/** A command of ours as a user runs it, with what it has printed so far. */
export interface Command {
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** What was run and has not ended. */
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

export async function shows({ output }: Command, text: string | RegExp, timeoutMs: number): Promise<void> {
  await waitFor(
    () => `${String(text)} in the output:\n${output()}`,
    () => (typeof text === 'string' ? output().includes(text) : text.test(output())),
    timeoutMs,
  );
}

/** @returns the exit status; null when a signal ended it */
export async function ended({ child }: Command): Promise<number | null> {
  const [status] = (await once(child, 'close')) as [number | null];
  return status;
}

export async function interrupt(command: Command, signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
  const status = ended(command);
  command.child.kill(signal);
  return status;
}

/** Interrupts what a failed test left running, so that it takes no processor time from those after it. Nothing when all have ended. */
export async function endCommands(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const closed = once(child, 'close');
      child.kill('SIGINT');
      await closed;
    }),
  );
}

/** Command lines of all processes that mention a folder, in their arguments or their environment. */
export function leftovers(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) =>
      [`/proc/${pid}/cmdline`, `/proc/${pid}/environ`].some((file) => read(file).includes(folder)),
    )
    .map((pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '));
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process ended between listing and reading.
    return '';
  }
}
