import { text } from 'node:stream/consumers';
import { exitWhenOutputCloses } from '@ssb/platform';
import { runAccountsCommand } from './cli/accounts-command.js';
import { USAGE, UsageError } from './cli/command-line.js';
import { readAdminSettings } from './settings.js';

exitWhenOutputCloses();

/** The accounts command: `node dist/src/accounts.js create|list|…`. Exits with 2 after a usage error, with 1 after a failure. */
try {
  const args = process.argv.slice(2);
  const context = { settings: readAdminSettings(), readStdin: () => text(process.stdin) };
  const output = args.includes('--help') ? USAGE : await runAccountsCommand(args, context);
  process.stdout.write(`${output}\n`);
} catch (error) {
  const hint = error instanceof UsageError ? '\nRun the command with --help to see the usage.' : '';
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${hint}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
