import { Command } from 'commander';
import type { DifferencesOptions } from '../market/differences.js';
import { LISTING_FORMS } from '../options.js';
import { addPaging, apiCommand, type ApiOptions } from './api-command.js';

/** More than the largest statement has variables. */
const MAX_DIFFERENCES = 200_000;

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
  const differences = apiCommand(
    command,
    'differences <id>',
    {
      description: 'what differs from the version before, or the run before, the largest first',
      details:
        'The id is as in "statements show"; a run stands for its newest version. Sums and differences have every digit, and add up exactly.',
      examples: [
        'statements differences 4c1f88a2',
        `statements differences 4c1f88a2 --against 77ab01 --limit ${MAX_DIFFERENCES} -o csv > differences.csv`,
      ],
    },
    LISTING_FORMS,
  );
  addPaging(differences, MAX_DIFFERENCES)
    .option('--against <id>', 'another run of the period, or another version: an id as well')
    .action(async (id: string, options: DifferencesOptions) =>
      (await import('../market/differences.js')).listDifferences(id, options),
    );
  return command;
}
