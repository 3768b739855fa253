import { renderFittedTable, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import type { ApiClient, QueryOf, ResponseOf } from '../api/api-client.js';
import type { PaymentDay, PaymentTotals } from '../api/operations.js';
import { checkParticipants } from '../api/visible-participants.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { printListing, readRows, writeEmpty } from '../output/listing.js';
import { countOf, showAmount } from '../output/text.js';
import { AMOUNTS_NOTE, isNegative } from './amounts.js';
import { marketToday, readDays } from './days.js';
import { printOverdueRuns } from './overdue-runs.js';

type Query = Omit<QueryOf<'/v1/payments'>, 'limit' | 'cursor'>;

export interface PaymentsOptions extends ListOptions, Query {}

export function listPayments(options: PaymentsOptions): Promise<void> {
  const { participant, market, dueSince, dueUntil, output, limit, cursor } = options;
  const days = readDays({ since: dueSince, until: dueUntil }, '--due-', marketToday());
  const query = {
    participant,
    market,
    dueSince: days.since,
    dueUntil: days.until,
  };
  return withApi(options, async (api) => {
    if (output === 'csv')
      return printListing(api, '/v1/payments', { query, columns: [], empty: '' }, options);
    await checkParticipants(api, participant);
    const { items, next, page } = await readRows(api, '/v1/payments', query, { limit, cursor });
    if (output === 'json')
      return standardOutput.writeJson({ items, ...(next !== undefined && { next }), total: page.total });
    if (items.length === 0) await writeEmpty(api, 'No payments match.');
    else {
      standardOutput.writeLine(renderPayments({ items, total: page.total }, standardOutput.width));
      standardOutput.writeLine(AMOUNTS_NOTE);
    }
    if (next !== undefined)
      standardOutput.writeLine(
        StyledText.of(`There are more days: raise --limit, or continue with --cursor ${next}`, 'dim'),
      );
    await printOverdueRuns(api, { participant, market });
  });
}

/** More days than have payments at a time. */
const MAX_DAYS = 1_000;

/** The payments below a list of invoices; undefined when there are none. */
export async function describePayments(api: ApiClient, query: Query): Promise<StyledText | undefined> {
  const { items, next, page } = await readRows(api, '/v1/payments', query, {
    limit: MAX_DAYS,
    cursor: undefined,
  });
  if (items.length === 0) return undefined;
  const table = renderPayments({ items, total: page.total }, standardOutput.width);
  return StyledText.join(
    [
      StyledText.of(''),
      StyledText.of('Totals by due date', 'heading'),
      table,
      ...(next === undefined ? [] : [StyledText.of('There are more days: busbridge payments', 'dim')]),
    ],
    '\n',
  );
}

interface Row extends PaymentTotals {
  readonly day: string;
  readonly market: string;
}

const ALL = 'all';

const COLUMNS: readonly Column<Row>[] = [
  { head: 'due', cell: ({ day }) => day, whole: true },
  { head: 'market', cell: ({ market }) => market, whole: true },
  { head: 'payable', cell: ({ payable }) => showAmount(payable), align: 'right', rank: 1 },
  { head: 'receivable', cell: ({ receivable }) => showAmount(receivable), align: 'right', rank: 1 },
  {
    head: 'net',
    cell: ({ net }) => showAmount(net),
    style: ({ net }) => (isNegative(net) ? 'warning' : 'good'),
    align: 'right',
  },
  { head: 'invoices', cell: ({ invoices }) => String(invoices), align: 'right', rank: 2 },
];

/** A day with several markets has a line for all of them, and several days have a last line for all. */
function renderPayments(
  { items, total }: Pick<ResponseOf<'/v1/payments'>, 'items' | 'total'>,
  width: number | undefined,
): StyledText {
  const rows = [
    ...items.flatMap(rowsOfDay),
    ...(items.length > 1 ? [{ ...total, day: ALL, market: ALL }] : []),
  ];
  const { withoutDirection: left } = total;
  return StyledText.join(
    [
      renderFittedTable(COLUMNS, rows, width),
      ...(left === 0
        ? []
        : [
            StyledText.of(
              `${countOf(left, 'invoice is', 'invoices are')} not in the sums, because the amount or who pays is unknown.`,
              'warning',
            ),
          ]),
    ],
    '\n',
  );
}

function rowsOfDay({ dueDate: day, markets, ...sums }: PaymentDay): Row[] {
  return [
    ...markets.map((each) => ({ ...each, day })),
    ...(markets.length > 1 ? [{ ...sums, day, market: ALL }] : []),
  ];
}
