import { text } from 'node:stream/consumers';
import { USAGE, UsageError, runAccountsCommand } from './accounts/accounts-command.js';

/** The accounts command: `node dist/accounts.js create|list …`. Exit status 2 for a wrong call, 1 for a failure. */
try {
  const args = process.argv.slice(2);
  const output = args.includes('--help') ? USAGE : await runAccountsCommand(args, () => text(process.stdin));
  process.stdout.write(`${output}\n`);
} catch (error) {
  const usage = error instanceof UsageError ? `\n${USAGE}` : '';
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}${usage}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
