import { Command } from 'commander';
import { apiCommand, type ApiOptions } from './api-command.js';

/** `busbridge statements`. */
export function statementsCommand(): Command {
  const command = new Command('statements').description('What each settlement statement says.');
  apiCommand(command, 'show <id>', {
    description: 'a settlement run: the versions of its statement, its invoices, its variables',
    details:
      'The id is that of a run, as "busbridge calendar" shows it, or of an event about its statement or invoices. It may be shortened to its first 6 characters or more.',
    examples: ['statements show 4c1f88a2', 'statements show 4c1f88a2 --json'],
  }).action(async (id: string, options: ApiOptions) =>
    (await import('../market/statements.js')).showStatement(id, options),
  );
  return command;
}
