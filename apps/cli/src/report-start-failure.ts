import { describeStartFailure, standardError } from '@ssb/platform';
import { EXIT, type ExitStatus } from './exit.js';
import { errorEnvironment } from './settings.js';

/** Reports wrong settings and files, and servers that are not there. @returns the exit status @throws any other error */
export function reportStartFailure(error: unknown): ExitStatus {
  const failure = describeStartFailure(error, errorEnvironment());
  if (failure === undefined) throw error;
  for (const problem of failure.problems) standardError.writeLine(problem);
  return failure.exitStatus === EXIT.configuration ? EXIT.configuration : EXIT.unreachable;
}
