import { text } from 'node:stream/consumers';
import { whenOutputCloses } from '@ssb/platform';
import { runAccountsCommand } from './cli/accounts-command.js';
import { readAdminSettings } from './settings.js';
import { USAGE, UsageError } from './cli/command-line.js';

whenOutputCloses();

/** The accounts command: `node dist/src/accounts.js create|list|…`. Exit status 2 for a wrong call, 1 for a failure. */
try {
  const args = process.argv.slice(2);
  const surroundings = { settings: readAdminSettings(), readStdin: () => text(process.stdin) };
  const output = args.includes('--help') ? USAGE : await runAccountsCommand(args, surroundings);
  process.stdout.write(`${output}\n`);
} catch (error) {
  const hint = error instanceof UsageError ? '\n--help tells how to call it.' : '';
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${hint}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
