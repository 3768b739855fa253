import { describeStartFailure, standardError } from '@ssb/platform';
import { environment } from './settings.js';

/** Reports in one sentence why a command cannot do its work. The exit status becomes 1. */
export function fail(sentence: string): void {
  standardError.writeLine(sentence);
  process.exitCode = 1;
}

/** As `fail`, in the sentences of the error. */
export function failWith(error: unknown): void {
  standardError.writeError(error);
  process.exitCode = 1;
}

/** Runs the work. Wrong settings and files are reported by `fail`. */
export async function explainFailures(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const failure = describeStartFailure(error, environment);
    if (failure === undefined) throw error;
    for (const problem of failure.problems) fail(problem);
  }
}
