import { text } from 'node:stream/consumers';
import { prepareCommand, standardError, standardOutput } from '@ssb/platform';
import { runAccountsCommand } from './cli/accounts-command.js';
import { USAGE, UsageError } from './cli/command-line.js';
import { readAdminSettings } from './settings.js';

prepareCommand();

/** The accounts command: `node dist/src/accounts.js create|list|…`. Exits with 2 after a usage error, with 1 after a failure. */
try {
  const args = process.argv.slice(2);
  const context = { settings: readAdminSettings(), readStdin: () => text(process.stdin) };
  const output = args.includes('--help') ? USAGE : await runAccountsCommand(args, context);
  standardOutput.write(`${output}\n`);
} catch (error) {
  standardError.writeError(error);
  if (error instanceof UsageError) standardError.writeLine('Run the command with --help to see the usage.');
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
