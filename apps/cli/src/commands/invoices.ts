import { Command, Option } from 'commander';
import { CHOICES } from '../api/operations.js';
import type { InvoicesOptions } from '../market/invoices.js';
import { choicesOption, collectNames, LISTING_FORMS } from '../options.js';
import { addPaging, allowList, describe } from './api-command.js';

const { market: MARKETS, status: STATUSES, order: ORDERS } = CHOICES['/v1/invoices'];

const DETAILS = `Without --due-since and --status: the valid invoices that are due today or later. --status alone has no first day. Days are those of
the market (UTC+8): 2026-03-19, or from today: 7d is 7 days ago, +7d in 7 days. Below the table are the totals of each due date, over all pages, unless --status is given; alone and as CSV: payments. Statuses: issued, or adjusted
by a later version; due: a payment reminder was raised, and the due date has not passed; reversed; overdue: the operator has not issued it in time. Whether an invoice was paid is unknown to the bridge.`;

/** `busbridge invoices`. */
export function invoicesCommand(): Command {
  return allowList(
    addPaging(
      describe(
        new Command('invoices'),
        {
          description: 'What must be paid or is received, and when, with totals by due date.',
          details: DETAILS,
          examples: [
            'invoices',
            'invoices --due-since 31d --status reversed',
            'invoices --due-until 2026-05-01 --participant WPGENCO -o csv',
          ],
        },
        LISTING_FORMS,
      ),
    ),
  )
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .addOption(choicesOption('--market <market>', 'only of this market', MARKETS))
    .addOption(choicesOption('--status <status>', 'only with this status', STATUSES))
    .option('--due-since <day>', 'due on this day or later')
    .option('--due-until <day>', 'due before this day')
    .addOption(new Option('--order <order>', 'published: the newest first; by default due').choices(ORDERS))
    .action(async (_list: unknown, options: InvoicesOptions) =>
      (await import('../market/invoices.js')).listInvoices(options),
    );
}
