import { Command } from 'commander';
import { CHOICES } from '../api/operations.js';
import type { PaymentsOptions } from '../market/payments.js';
import { choicesOption, collectNames, LISTING_FORMS } from '../options.js';
import { addPaging, allowList, describe } from './api-command.js';

const { market: MARKETS } = CHOICES['/v1/payments'];

const DETAILS = `Over all participants that the credentials see, from today on without --due-since. Days are those of the market (UTC+8): 2026-03-19,
or from today: 7d is 7 days ago, +7d in 7 days. net is receivable minus payable: negative when there is more to pay. An invoice counts until it is reversed or
replaced; those that need no settlement are left out. --limit counts days. In CSV each row also has the sums of its day.`;

/** `busbridge payments`. */
export function paymentsCommand(): Command {
  return allowList(
    addPaging(
      describe(
        new Command('payments'),
        {
          description: 'What is paid and received on each day, by market.',
          details: DETAILS,
          examples: [
            'payments',
            'payments --due-until +7d',
            'payments --due-until 2026-05-01 --market WEM --market NSTEM',
            'payments --participant WPGENCO -o csv',
          ],
        },
        LISTING_FORMS,
      ),
    ),
  )
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .addOption(choicesOption('--market <market>', 'only of this market', MARKETS))
    .option('--due-since <day>', 'due on this day or later')
    .option('--due-until <day>', 'due before this day')
    .action(async (_list: unknown, options: PaymentsOptions) =>
      (await import('../market/payments.js')).listPayments(options),
    );
}
