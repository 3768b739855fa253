import { AsyncLocalStorage } from 'node:async_hooks';
import type { EndedProcess } from '@ssb/testing';
import { runBusbridge } from '../../src/busbridge.js';

/** `busbridge` as it is shipped, for what needs a process of its own: signals, terminals and file mode creation masks. */
export const PROGRAM = new URL('../../../../../bundles/cli.js', import.meta.url).pathname;

/** What each running command has written. */
const written = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

for (const name of ['stdout', 'stderr'] as const) {
  const stream = process[name];
  const write = stream.write.bind(stream);
  stream.write = (text: string | Uint8Array) => {
    const output = written.getStore();
    if (output === undefined) return write(text);
    output[name] += String(text);
    return true;
  };
}

/** Runs a command in this process. Only the status of a command that runs alone is its own. */
export async function runCommand(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<EndedProcess> {
  const output = { stdout: '', stderr: '' };
  return written.run(output, async () => {
    Object.assign(process.env, environment);
    process.exitCode = undefined;
    try {
      const status = await runBusbridge(args);
      return { status, ...output };
    } finally {
      process.exitCode = undefined;
      for (const name of Object.keys(environment)) delete process.env[name];
    }
  });
}
