import {
  renderFittedTable,
  standardError,
  standardOutput,
  StyledText,
  type Column,
  type Style,
} from '@ssb/platform/cli';
import type { ApiClient, QueryOf } from '../api/api-client.js';
import { checkParticipants, describeLimit } from '../api/visible-participants.js';
import type { CalendarRow } from '../api/operations.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { printListing, readRows, writeCsv } from '../output/listing.js';
import { renderParts, showAmount, showTime } from '../output/text.js';
import { AMOUNTS_AND_TIMES_NOTE, AMOUNTS_NOTE, showPayable } from './amounts.js';
import { FIRST_DAY, readDays } from './days.js';
import { DISAGREE_UNTIL, ID, RUN } from './calendar-columns.js';
import { showDisagreements } from './disagreements.js';

type Query = QueryOf<'/v1/settlement-calendar'>;

export interface CalendarOptions extends ListOptions, Omit<Query, 'limit' | 'cursor'> {
  readonly published?: true;
  readonly overdue?: true;
  readonly disagree?: true;
}

export function showCalendar(options: CalendarOptions): Promise<void> {
  const { participant, market, status, by, order, since, until, published, overdue, disagree } = options;
  const query = {
    participant,
    market,
    status: overdue ? (['overdue'] as const) : status,
    by,
    order,
    // What is overdue stays so until it is published.
    ...readDays({ since, until }, '--', overdue ? FIRST_DAY : undefined),
  };
  if (disagree) return withApi(options, (api) => showDisagreements(api, query, options));
  return withApi(options, (api) =>
    published
      ? showPublished(api, query, options)
      : printListing(
          api,
          '/v1/settlement-calendar',
          {
            query,
            columns: overdue ? OVERDUE : RUNS,
            empty: overdue
              ? 'Nothing is overdue.'
              : 'No runs match. --since is 31 days ago unless it is given.',
            summarise: () => [AMOUNTS_AND_TIMES_NOTE],
          },
          options,
        ),
  );
}

/** Statements by their publication, and invoices by their date. */
async function showPublished(
  api: ApiClient,
  query: Omit<Query, 'limit' | 'cursor'>,
  { output, limit }: CalendarOptions,
): Promise<void> {
  await checkParticipants(api, query.participant);
  if (output === 'csv') return writePublishedCsv(api, query, limit);
  const read = (by: 'published' | 'invoice') =>
    readRows(api, '/v1/settlement-calendar', publishedBy(query, by), { limit, cursor: undefined });
  const [statements, invoices] = await Promise.all([read('published'), read('invoice')]);
  if (output === 'json')
    return standardOutput.writeJson({
      statements: statements.items,
      moreStatements: statements.next !== undefined,
      invoices: invoices.items,
      moreInvoices: invoices.next !== undefined,
    });
  const table = ({ items, next }: typeof statements, columns: readonly Column<CalendarRow>[]) =>
    StyledText.join(
      [
        items.length === 0
          ? StyledText.of('None.')
          : renderFittedTable(columns, items.toSorted(compareRuns), standardOutput.width),
        ...(next === undefined
          ? []
          : [StyledText.of('There are more: raise --limit, or give --until.', 'dim')]),
      ],
      '\n',
    );
  const isEmpty = statements.items.length === 0 && invoices.items.length === 0;
  const sight = isEmpty ? await describeLimit(api) : undefined;
  standardOutput.writeLine(
    renderParts([
      ['Statements', table(statements, STATEMENTS)],
      ['Invoices', table(invoices, INVOICES)],
      ['', isEmpty ? undefined : AMOUNTS_NOTE],
      ['', sight === undefined ? undefined : StyledText.of(sight, 'warning')],
    ]),
  );
}

/** By day, market, period, participant and run. */
function compareRuns(one: CalendarRow, other: CalendarRow): number {
  const keyOf = ({ date, market, periodFrom, participant, designation }: CalendarRow): string =>
    [date, market, periodFrom, participant, designation].join(' ');
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

/** A run has the date of its invoice before the invoice is issued. */
const publishedBy = (query: Omit<Query, 'limit' | 'cursor'>, by: 'published' | 'invoice') => ({
  ...query,
  by,
  ...(by === 'invoice' && { status: ['invoiced'] as const }),
});

/** One table: its first column says what was published. */
async function writePublishedCsv(
  api: ApiClient,
  query: Omit<Query, 'limit' | 'cursor'>,
  limit: number,
): Promise<void> {
  const range = { limit, cursor: undefined };
  const left: string[] = [];
  for (const [what, by] of [['statement', 'published'] as const, ['invoice', 'invoice'] as const]) {
    const column = { head: 'what', value: what, isFirst: what === 'statement' };
    if (await writeCsv(api, '/v1/settlement-calendar', publishedBy(query, by), range, { column }))
      left.push(`${what}s`);
  }
  if (left.length > 0)
    standardError.writeLine(`There are more ${left.join(' and ')}: raise --limit, or give --until.`);
}

const STATUS_STYLES: Readonly<Record<string, Style>> = { overdue: 'bad', invoiced: 'good', removed: 'dim' };

/** Sums of the variables of a statement. */
const statementColumns = (rank: number): readonly Column<CalendarRow>[] => [
  { head: 'payment', cell: ({ payment }) => showAmount(payment), align: 'right', rank },
  { head: 'charge', cell: ({ charge }) => showAmount(charge), align: 'right', rank: rank + 1 },
];

const PAYABLE: readonly Column<CalendarRow>[] = [
  { head: 'amount', cell: showPayable, align: 'right', rank: 1 },
  { head: 'payment due', cell: ({ paymentDueDate }) => paymentDueDate, whole: true },
];

const RUNS: readonly Column<CalendarRow>[] = [
  { head: 'date', cell: ({ date }) => date, rank: 5, whole: true },
  ...RUN,
  { head: 'status', cell: ({ status }) => status, style: ({ status }) => STATUS_STYLES[status] },
  ...PAYABLE,
  DISAGREE_UNTIL,
  { head: 'published', cell: ({ publishedAt }) => showTime(publishedAt), rank: 7, whole: true },
  { head: 'revised', cell: ({ revisedAt }) => showTime(revisedAt), rank: 6, whole: true },
  ...statementColumns(8),
  { head: 'invoice', cell: ({ invoiceNumber }) => invoiceNumber, rank: 10 },
  ID,
];

const OVERDUE: readonly Column<CalendarRow>[] = [
  ...RUN,
  { head: 'overdue', cell: overdueParts, style: () => 'bad' },
  {
    head: 'since',
    cell: ({ statementOverdueSince, invoiceOverdueSince }) =>
      showTime(statementOverdueSince ?? invoiceOverdueSince),
    rank: 1,
    whole: true,
  },
  {
    head: 'was due',
    cell: ({ statementOverdueSince, statementDueDate, invoiceDueDate }) =>
      statementOverdueSince === undefined ? invoiceDueDate : statementDueDate,
    rank: 4,
    whole: true,
  },
  ...statementColumns(5),
  { head: 'invoice amount', cell: showPayable, align: 'right', rank: 7 },
  ID,
];

function overdueParts({ statementOverdueSince, invoiceOverdueSince }: CalendarRow): string {
  if (statementOverdueSince === undefined) return 'invoice';
  return invoiceOverdueSince === undefined ? 'statement' : 'both';
}

const STATEMENTS: readonly Column<CalendarRow>[] = [
  { head: 'published', cell: ({ date }) => date, whole: true },
  ...RUN,
  { head: 'payment', cell: ({ payment }) => showAmount(payment), align: 'right' },
  { head: 'charge', cell: ({ charge }) => showAmount(charge), align: 'right', rank: 2 },
  DISAGREE_UNTIL,
  {
    head: 'change',
    cell: ({ revisions }) => (revisions === 0 ? '' : `revision ${revisions}`),
    style: () => 'warning',
  },
  ID,
];

const INVOICES: readonly Column<CalendarRow>[] = [
  { head: 'dated', cell: ({ date }) => date, rank: 2, whole: true },
  ...RUN,
  ...PAYABLE,
  { head: 'invoice', cell: ({ invoiceNumber }) => invoiceNumber, rank: 5 },
  ID,
];
