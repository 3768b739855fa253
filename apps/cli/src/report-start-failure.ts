import { describeStartFailure, standardError } from '@ssb/platform';
import { CommandError, EXIT, type ExitStatus } from './exit.js';
import { commandEnvironment } from './settings.js';

/** Reports wrong settings and files, and servers that are not there. @returns the exit status @throws any other error */
export function reportStartFailure(error: unknown): ExitStatus {
  const failure = describeStartFailure(error, findSettings());
  if (failure === undefined) throw error;
  for (const problem of failure.problems) standardError.writeLine(problem);
  return failure.exitStatus === EXIT.configuration ? EXIT.configuration : EXIT.unreachable;
}

/** The command may have failed without any need of a running system. */
function findSettings(): ReturnType<typeof commandEnvironment> {
  try {
    return commandEnvironment();
  } catch (error) {
    if (error instanceof CommandError) return process.env;
    throw error;
  }
}
