import { describeStartFailure, standardError } from '@ssb/platform';
import { CommandError, EXIT, type ExitStatus } from './exit.js';
import { commandEnvironment } from './settings.js';

/** Reports in one sentence why a command cannot do its work. */
export function fail(sentence: string, status: ExitStatus = EXIT.findings): void {
  standardError.writeLine(sentence);
  process.exitCode = status;
}

/** As `fail`, in the sentences of the error. */
export function failWith(error: unknown): void {
  standardError.writeError(error);
  process.exitCode = 1;
}

/** Reports wrong settings and files, and servers that are not there. @returns the exit status @throws any other error */
export function reportStartFailure(error: unknown): ExitStatus {
  const failure = describeStartFailure(error, commandEnvironment());
  if (failure === undefined) throw error;
  for (const problem of failure.problems) standardError.writeLine(problem);
  return failure.exitStatus === EXIT.configuration ? EXIT.configuration : EXIT.unreachable;
}

/** Runs the work. Wrong settings and files are reported. */
export async function explainFailures(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    process.exitCode = reportStartFailure(error);
  }
}
