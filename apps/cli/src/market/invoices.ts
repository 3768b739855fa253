import { StyledText, type Column, type Style } from '@ssb/platform/cli';
import type { QueryOf } from '../api/api-client.js';
import type { InvoiceRow } from '../api/operations.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { printListing } from '../output/listing.js';
import { countOf, shortId, showAmount } from '../output/text.js';
import { absoluteOf, AMOUNTS_NOTE } from './amounts.js';
import { FIRST_DAY, marketToday, readDays } from './days.js';
import { printBelow, printOverdueRuns } from './overdue-runs.js';
import { describePayments } from './payments.js';

type Query = QueryOf<'/v1/invoices'>;

export interface InvoicesOptions extends ListOptions, Omit<Query, 'limit' | 'cursor'> {}

/** What there is to pay or receive. An overdue invoice is not issued yet: `calendar --overdue` has it. */
const VALID = ['issued', 'adjusted', 'due'] as const;

export function listInvoices(options: InvoicesOptions): Promise<void> {
  const { participant, market, status, dueSince, dueUntil, order } = options;
  const firstDay = status === undefined ? marketToday() : FIRST_DAY;
  const days = readDays({ since: dueSince, until: dueUntil }, '--due-', firstDay);
  const query = {
    participant,
    market,
    status: status ?? VALID,
    dueSince: days.since,
    dueUntil: days.until,
    order,
  };
  return withApi(options, async (api) => {
    await printListing(
      api,
      '/v1/invoices',
      {
        query,
        columns: INVOICES,
        empty:
          query.dueSince === FIRST_DAY
            ? 'No invoices match.'
            : `No invoices that are due on ${days.since} or later match.`,
        summarise,
      },
      options,
    );
    if (options.output !== 'table') return;
    const filters = { participant, market };
    // Invoices with another status are not payments.
    if (status === undefined) {
      const { dueSince: since, dueUntil: until } = query;
      await printBelow(
        () => describePayments(api, { ...filters, dueSince: since, dueUntil: until }),
        'Totals could not be read',
      );
    }
    await printOverdueRuns(api, filters);
  });
}

const DIRECTION_STYLES: Readonly<Record<string, Style>> = { pay: 'warning', receive: 'good' };
const STATUS_STYLES: Readonly<Record<string, Style>> = { overdue: 'bad', reversed: 'dim' };

export const INVOICES: readonly Column<InvoiceRow>[] = [
  { head: 'due', cell: ({ dueDate }) => dueDate, whole: true },
  {
    head: 'direction',
    cell: ({ direction }) => direction,
    style: ({ direction }) => DIRECTION_STYLES[direction ?? ''],
  },
  { head: 'amount', cell: showUnsigned, align: 'right' },
  { head: 'participant', cell: ({ participant }) => participant, rank: 4 },
  { head: 'market', cell: ({ market }) => market, rank: 2 },
  { head: 'period', cell: ({ periodFrom }) => periodFrom, whole: true },
  { head: 'run', cell: ({ designation }) => designation },
  { head: 'invoice', cell: ({ number }) => number, rank: 1 },
  { head: 'status', cell: ({ status }) => status, style: ({ status }) => STATUS_STYLES[status], rank: 3 },
  {
    head: 'discrepancies',
    cell: ({ discrepancies }) => (discrepancies === 0 ? '' : String(discrepancies)),
    style: () => 'warning',
    align: 'right',
    rank: 6,
  },
  { head: 'without GST', cell: ({ gstExclusive }) => showAmount(gstExclusive), align: 'right', rank: 8 },
  { head: 'GST', cell: ({ gst }) => showAmount(gst), align: 'right', rank: 8 },
  { head: 'total', cell: ({ total }) => showAmount(total), align: 'right', rank: 7 },
  { head: 'statement id', cell: ({ statementId }) => shortId(statementId), rank: 5 },
];

/** Without the sign where the direction says the same. */
function showUnsigned({ payableAmount, direction }: InvoiceRow): string {
  return showAmount(direction === undefined ? payableAmount : absoluteOf(payableAmount ?? ''));
}

function summarise(rows: readonly InvoiceRow[]): readonly StyledText[] {
  const disputed = rows.filter(({ discrepancies }) => discrepancies > 0).length;
  return [
    AMOUNTS_NOTE,
    StyledText.of('PDFs: busbridge documents get <invoice> --out <file>', 'dim'),
    ...(disputed === 0
      ? []
      : [
          StyledText.of(
            `${countOf(disputed, 'invoice')} with discrepancies: busbridge problems list --kind invoice-discrepancy`,
            'warning',
          ),
        ]),
  ];
}
