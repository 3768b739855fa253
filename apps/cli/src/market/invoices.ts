import { standardOutput, StyledText, type Column, type Style } from '@ssb/platform/cli';
import type { ApiClient, QueryOf } from '../api/api-client.js';
import type { InvoiceRow } from '../api/operations.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { CommandError } from '../exit.js';
import { printListing, readRows } from '../output/listing.js';
import { countOf, shortId, showAmount } from '../output/text.js';
import { absoluteOf, AMOUNTS_NOTE, FIRST_DAY, marketToday, toMarketDay } from './amounts.js';
import { describePayments } from './payments.js';

type Query = QueryOf<'/v1/invoices'>;

export interface InvoicesOptions extends ListOptions, Omit<Query, 'limit' | 'cursor'> {}

/** What there is to pay or receive. An overdue invoice is not issued yet: `calendar --overdue` has it. */
const VALID = ['issued', 'adjusted', 'due'] as const;

export function listInvoices(options: InvoicesOptions): Promise<void> {
  const { participant, market, status, dueSince, dueUntil, order } = options;
  const query = {
    participant,
    market,
    status: status ?? VALID,
    dueSince: toMarketDay(dueSince) ?? (status === undefined ? marketToday() : FIRST_DAY),
    dueUntil: toMarketDay(dueUntil),
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
            : `No invoices that are due on ${query.dueSince} or later match.`,
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
    await printBelow(
      () => describeOverdue(api, filters),
      'Overdue runs could not be read, so it is unknown whether amounts are missing',
    );
  });
}

/** When it cannot be read, the exit status is that of the error. */
async function printBelow(read: () => Promise<StyledText | undefined>, failed: string): Promise<void> {
  try {
    const text = await read();
    if (text !== undefined) standardOutput.writeLine(text);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.exitCode = error.status;
    standardOutput.writeLine(StyledText.of(`${failed}: ${error.message}`, 'warning'));
  }
}

/** Overdue runs that are counted: a page of the API. */
const MAX_COUNTED = 100;

/** Payments of overdue runs are not known yet. */
async function describeOverdue(
  api: ApiClient,
  filters: Pick<Query, 'participant' | 'market'>,
): Promise<StyledText | undefined> {
  const query = { ...filters, status: ['overdue'] as const, since: FIRST_DAY };
  const range = { limit: MAX_COUNTED, cursor: undefined };
  const { items, next } = await readRows(api, '/v1/settlement-calendar', query, range);
  if (items.length === 0) return undefined;
  const runs = countOf(items.length, 'settlement run is', 'settlement runs are');
  return StyledText.of(
    `${next === undefined ? '' : 'More than '}${runs} overdue, so amounts may be missing: busbridge calendar --overdue`,
    'warning',
  );
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
  { head: 'amount', cell: showPayable, align: 'right' },
  { head: 'participant', cell: ({ participant }) => participant, rank: 4 },
  { head: 'market', cell: ({ market }) => market, rank: 3 },
  { head: 'period', cell: ({ periodFrom }) => periodFrom, whole: true },
  { head: 'run', cell: ({ designation }) => designation },
  { head: 'invoice', cell: ({ number }) => number, rank: 5 },
  { head: 'status', cell: ({ status }) => status, style: ({ status }) => STATUS_STYLES[status], rank: 2 },
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
  { head: 'statement id', cell: ({ statementId }) => shortId(statementId), rank: 1 },
];

/** Without the sign where the direction says the same. */
function showPayable({ payableAmount, direction }: InvoiceRow): string {
  return showAmount(direction === undefined ? payableAmount : absoluteOf(payableAmount ?? ''));
}

function summarise(rows: readonly InvoiceRow[]): readonly StyledText[] {
  const disputed = rows.filter(({ discrepancies }) => discrepancies > 0).length;
  return [
    AMOUNTS_NOTE,
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
