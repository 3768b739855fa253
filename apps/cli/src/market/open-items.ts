import { renderFittedTable, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import type { QueryOf } from '../api/api-client.js';
import type { OpenItemRow } from '../api/operations.js';
import { checkParticipants } from '../api/visible-participants.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { CommandError, EXIT } from '../exit.js';
import { printListing, readRows, writeEmpty } from '../output/listing.js';
import { showTime } from '../output/text.js';
import { TIMES_NOTE } from './amounts.js';

type Query = Omit<QueryOf<'/v1/open-items'>, 'limit' | 'cursor'>;

export interface OpenItemsOptions extends ListOptions, Query {
  readonly overdue?: true;
}

export function listOpenItems(options: OpenItemsOptions): Promise<void> {
  const { participant, market, kind } = options;
  const query = { participant, market, kind };
  if (options.overdue) return listOverdue(query, options);
  return withApi(options, (api) =>
    printListing(
      api,
      '/v1/open-items',
      {
        query,
        columns: COLUMNS,
        empty: 'Nothing is missing.',
        summarise: (rows) => [TIMES_NOTE, countOverdue(rows)],
      },
      options,
    ),
  );
}

/** More than pollers list. */
const MAX_ITEMS = 10_000;

function listOverdue(query: Query, options: OpenItemsOptions): Promise<void> {
  const { output, limit } = options;
  if (output === 'csv')
    throw new CommandError(
      'There is no CSV of --overdue: leave --overdue out, and choose the rows with overdueSince.',
      EXIT.usage,
    );
  return withApi(options, async (api) => {
    await checkParticipants(api, query.participant);
    const range = { limit: MAX_ITEMS, cursor: undefined };
    const { items, next } = await readRows(api, '/v1/open-items', query, range);
    const overdue = items.filter(({ overdueSince }) => overdueSince !== undefined);
    const rows = overdue.slice(0, limit);
    const isPart = next !== undefined || overdue.length > rows.length;
    if (output === 'json') return standardOutput.writeJson({ items: rows, more: isPart });
    if (rows.length === 0) await writeEmpty(api, 'Nothing is overdue.');
    else {
      standardOutput.writeLine(renderFittedTable(COLUMNS, rows, standardOutput.width));
      standardOutput.writeLine(TIMES_NOTE);
    }
    if (isPart) standardOutput.writeLine(StyledText.of('There are more: raise --limit.', 'dim'));
  });
}

/** Of the rows above. */
function countOverdue(rows: readonly OpenItemRow[]): StyledText {
  const overdue = rows.filter(({ overdueSince }) => overdueSince !== undefined).length;
  return StyledText.of(`${rows.length} missing, ${overdue} overdue`, overdue === 0 ? 'warning' : 'bad');
}

const COLUMNS: readonly Column<OpenItemRow>[] = [
  {
    head: 'missing',
    cell: ({ kind }) => kind,
    style: ({ overdueSince }) => (overdueSince === undefined ? 'warning' : 'bad'),
  },
  { head: 'participant', cell: ({ participant }) => participant, rank: 5 },
  { head: 'market', cell: ({ market }) => market, rank: 1 },
  { head: 'period', cell: ({ periodFrom }) => periodFrom, whole: true },
  { head: 'run', cell: ({ designation }) => designation },
  { head: 'invoice', cell: ({ invoiceNumber }) => invoiceNumber, rank: 3 },
  { head: 'expected on', cell: ({ expectedOn }) => expectedOn, whole: true },
  {
    head: 'since',
    cell: ({ since }) => (since === undefined ? 'unknown' : showTime(since)),
    rank: 4,
    whole: true,
  },
  { head: 'overdue since', cell: ({ overdueSince }) => showTime(overdueSince), rank: 2, whole: true },
  { head: 'checked', cell: ({ checkedAt }) => showTime(checkedAt), rank: 7, whole: true },
  { head: 'why', cell: ({ detail }) => detail, rank: 6 },
];
