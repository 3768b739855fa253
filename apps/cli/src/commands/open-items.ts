import { Command, Option } from 'commander';
import { CHOICES } from '../api/operations.js';
import type { OpenItemsOptions } from '../market/open-items.js';
import { choicesOption, collectNames, LISTING_FORMS } from '../options.js';
import { addPaging, allowList, describe } from './api-command.js';

const { market: MARKETS, kind: KINDS } = CHOICES['/v1/open-items'];

const DETAILS = `Statements and invoices whose day in the operator's timeline has come, PDFs of invoices, and calculations that did not come in time.
"unknown": no poll has succeeded yet, or in the last hour. Overdue: CONFIG_FILE allows no more time.`;

/** `busbridge open-items`. */
export function openItemsCommand(): Command {
  return allowList(
    addPaging(
      describe(
        new Command('open-items'),
        {
          description: 'What the operator should have published by now, and has not, and since when.',
          details: DETAILS,
          examples: [
            'open-items',
            'open-items --overdue',
            'open-items --kind invoice --market WEM',
            'open-items -o csv',
          ],
        },
        LISTING_FORMS,
      ),
    ),
  )
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .addOption(choicesOption('--market <market>', 'only of this market', MARKETS))
    .addOption(choicesOption('--kind <kind>', 'only of this kind', KINDS))
    .addOption(new Option('--overdue', 'only what is overdue; not as CSV').conflicts('cursor'))
    .action(async (_list: unknown, options: OpenItemsOptions) =>
      (await import('../market/open-items.js')).listOpenItems(options),
    );
}
