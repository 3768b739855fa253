import { type CommandOptions, runCommand } from '../check/run-command.js';

/** A check found something; the message lists it. */
export class CheckFailure extends Error {
  override readonly name = 'CheckFailure';
}

/** Runs a program and fails the check when it fails. @returns its output */
export async function runOrFail(
  program: string,
  args: readonly string[],
  options?: CommandOptions,
): Promise<string> {
  const { ok, output } = await runCommand(program, args, options);
  if (!ok) throw new CheckFailure(output);
  return output;
}

/** Runs all steps, one after the other, also after a failure. */
export async function runAll<T>(items: readonly T[], step: (item: T) => Promise<unknown>): Promise<void> {
  const findings: string[] = [];
  for (const item of items)
    try {
      await step(item);
    } catch (error) {
      if (!(error instanceof CheckFailure)) throw error;
      findings.push(error.message);
    }
  if (findings.length > 0) throw new CheckFailure(findings.join('\n'));
}
