import { type CommandOptions, runCommand } from '../check/run-command.js';
import { describeMissing, ensurePrograms } from '../programs/ensure-programs.js';
import type { Program } from '../programs/required-programs.js';

/** One check of `npm run check:deploy`. */
export interface DeployCheck {
  /** As `--only` takes it. */
  readonly name: string;
  /** As `--list` prints it. */
  readonly description: string;
  /**
   * @returns what was checked, in a few words
   * @throws {CheckFailure} when there are findings
   */
  readonly run: () => Promise<string>;
}

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
  if (!ok) throw new CheckFailure(output || `${program} ${args.join(' ')} failed without output.`);
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

/** The path of a program, which is installed first where that is possible. @throws CheckFailure */
export function requireProgram(program: Program): string {
  const searchPath = process.env['PATH'] ?? '';
  const missing = ensurePrograms([program], { searchPath });
  const path = program.find(searchPath);
  if (path === undefined) throw new CheckFailure(describeMissing(missing));
  return path;
}
