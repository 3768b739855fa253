import { standardOutput, StyledText, type Column, type Style } from '@ssb/platform/cli';
import type { ApiClient, QueryOf } from '../api/api-client.js';
import type { InvoiceRow } from '../api/operations.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { CommandError } from '../exit.js';
import { printListing, readRows } from '../output/listing.js';
import { countOf, shortId, showAmount } from '../output/text.js';
import { absoluteOf, FIRST_DAY, marketToday, sumOf, toMarketDay } from './amounts.js';

type Query = QueryOf<'/v1/invoices'>;

export interface InvoicesOptions extends ListOptions, Omit<Query, 'limit' | 'cursor'> {}

/** What there is to pay or receive. An overdue invoice is not issued yet: `calendar --overdue` has it. */
const VALID = ['issued', 'adjusted', 'due'] as const;

export function listInvoices(options: InvoicesOptions): Promise<void> {
  const { participant, market, status, dueSince, dueUntil } = options;
  const query = {
    participant,
    market,
    status: status ?? VALID,
    dueSince: toMarketDay(dueSince) ?? (status === undefined ? marketToday() : FIRST_DAY),
    dueUntil: toMarketDay(dueUntil),
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
    const warning = await describeOverdue(api, { participant, market });
    if (warning !== undefined) standardOutput.writeLine(StyledText.of(warning, 'warning'));
  });
}

/** Overdue runs that are counted: a page of the API. */
const MAX_COUNTED = 100;

/** Payments of overdue runs are not known yet. When they cannot be read, the exit status is that of the error. */
async function describeOverdue(
  api: ApiClient,
  filters: Pick<Query, 'participant' | 'market'>,
): Promise<string | undefined> {
  const query = { ...filters, status: ['overdue'] as const, since: FIRST_DAY };
  const range = { limit: MAX_COUNTED, cursor: undefined };
  try {
    const { items, next } = await readRows(api, '/v1/settlement-calendar', query, range);
    if (items.length === 0) return undefined;
    const runs = countOf(items.length, 'settlement run is', 'settlement runs are');
    return `${next === undefined ? '' : 'More than '}${runs} overdue, so amounts may be missing: busbridge calendar --overdue`;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    process.exitCode = error.status;
    return `Overdue runs could not be read, so it is unknown whether amounts are missing: ${error.message}`;
  }
}

export const DIRECTION_STYLES: Readonly<Record<string, Style>> = { pay: 'warning', receive: 'good' };
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
  { head: 'statement id', cell: ({ statementId }) => shortId(statementId), rank: 1 },
];

/** Without the sign where the direction says the same. */
function showPayable({ payableAmount, direction }: InvoiceRow): string {
  return showAmount(direction === undefined ? payableAmount : absoluteOf(payableAmount ?? ''));
}

/** Sums of the rows by due date and direction; reversed invoices are not payable. */
function summarise(rows: readonly InvoiceRow[]): readonly StyledText[] {
  const payable = rows.filter(({ status }) => status !== 'reversed');
  const sums = sumByDay(payable);
  const width = Math.max(0, ...sums.map(({ sum }) => sum.length));
  const without = payable.filter(
    ({ direction, payableAmount }) => direction === undefined && payableAmount !== undefined,
  ).length;
  const disputed = rows.filter(({ discrepancies }) => discrepancies > 0).length;
  return [
    ...(sums.length === 0 ? [] : [StyledText.of(''), StyledText.of('Sums of these rows', 'heading')]),
    ...sums.map(({ day, direction, sum }) =>
      StyledText.of(`${day}  ${direction.padEnd(7)}  ${sum.padStart(width)}`, DIRECTION_STYLES[direction]),
    ),
    ...(without === 0
      ? []
      : [
          StyledText.of(
            `${countOf(without, 'amount')} without a direction: not settled, or not of a participant of CONFIG_FILE.`,
            'dim',
          ),
        ]),
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

/** In the order of the rows, which is that of the due dates. */
function sumByDay(rows: readonly InvoiceRow[]) {
  const groups = new Map<string, { day: string; direction: string; amounts: string[] }>();
  for (const { dueDate: day = 'no due date', direction, payableAmount } of rows) {
    if (direction === undefined || payableAmount === undefined) continue;
    const key = `${day} ${direction}`;
    const group = groups.get(key) ?? { day, direction, amounts: [] };
    group.amounts.push(absoluteOf(payableAmount));
    groups.set(key, group);
  }
  return [...groups.values()].map(({ amounts, ...group }) => ({ ...group, sum: showAmount(sumOf(amounts)) }));
}
