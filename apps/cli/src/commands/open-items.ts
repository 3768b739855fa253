import { Command } from 'commander';
import type { Column } from '@ssb/platform/cli';
import type { QueryOf } from '../api/api-client.js';
import { CHOICES, type OpenItemRow } from '../api/operations.js';
import { choicesOption, collectNames, LISTING_FORMS } from '../options.js';
import { printListing } from '../output/listing.js';
import { showTime } from '../output/text.js';
import { addPaging, allowList, describe, withApi, type ListOptions } from './api-command.js';

type OpenItemsOptions = ListOptions & Omit<QueryOf<'/v1/open-items'>, 'limit' | 'cursor'>;

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
          examples: ['open-items', 'open-items --kind invoice --market WEM', 'open-items -o csv'],
        },
        LISTING_FORMS,
      ),
    ),
  )
    .option('--participant <code>', 'only of this participant; may be repeated', collectNames)
    .addOption(choicesOption('--market <market>', 'only of this market', MARKETS))
    .addOption(choicesOption('--kind <kind>', 'only of this kind', KINDS))
    .action((_list: unknown, options: OpenItemsOptions) => listOpenItems(options));
}

function listOpenItems(options: OpenItemsOptions): Promise<void> {
  const { participant, market, kind } = options;
  return withApi(options, (api) =>
    printListing(
      api,
      '/v1/open-items',
      { query: { participant, market, kind }, columns: COLUMNS, empty: 'Nothing is missing.' },
      options,
    ),
  );
}

const COLUMNS: readonly Column<OpenItemRow>[] = [
  {
    head: 'missing',
    cell: ({ kind }) => kind,
    style: ({ overdueSince }) => (overdueSince === undefined ? 'warning' : 'bad'),
  },
  { head: 'participant', cell: ({ participant }) => participant, rank: 4 },
  { head: 'market', cell: ({ market }) => market, rank: 3 },
  { head: 'period', cell: ({ periodFrom }) => periodFrom, whole: true },
  { head: 'run', cell: ({ designation }) => designation },
  { head: 'invoice', cell: ({ invoiceNumber }) => invoiceNumber, rank: 6 },
  { head: 'expected on', cell: ({ expectedOn }) => expectedOn, whole: true },
  {
    head: 'since',
    cell: ({ since }) => (since === undefined ? 'unknown' : showTime(since)),
    rank: 1,
    whole: true,
  },
  { head: 'overdue since', cell: ({ overdueSince }) => showTime(overdueSince), rank: 2, whole: true },
  { head: 'checked', cell: ({ checkedAt }) => showTime(checkedAt), rank: 7, whole: true },
  { head: 'why', cell: ({ detail }) => detail, rank: 5 },
];
