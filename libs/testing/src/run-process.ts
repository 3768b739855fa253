import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface EndedProcess {
  /** Null after a signal. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const TIMEOUT_MS = 60_000;

/** Runs a compiled program until it ends, without the environment of the tests. It is killed after a minute. */
export async function runToEnd(
  program: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<EndedProcess> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, stdout, stderr };
}
