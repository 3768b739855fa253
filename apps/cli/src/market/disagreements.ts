import { standardOutput, StyledText, renderFittedTable, type Column } from '@ssb/platform/cli';
import type { ApiClient, QueryOf } from '../api/api-client.js';
import { checkParticipants } from '../api/visible-participants.js';
import type { CalendarRow } from '../api/operations.js';
import type { ListOptions } from '../commands/api-command.js';
import { readRows, writeEmpty } from '../output/listing.js';
import { showAmount, showTime } from '../output/text.js';
import { AMOUNTS_AND_TIMES_NOTE } from './amounts.js';
import { DISAGREE_UNTIL, ID, RUN } from './calendar-columns.js';
import { marketToday, readDays } from './days.js';

/** Longer than a statement can be disputed. */
const PAST = '60d';
const MAX_RUNS = 10_000;

/** The statements that can still be disputed, the earliest last day first. */
export async function showDisagreements(
  api: ApiClient,
  { since, ...query }: Omit<QueryOf<'/v1/settlement-calendar'>, 'limit' | 'cursor'>,
  { output, limit }: ListOptions,
): Promise<void> {
  await checkParticipants(api, query.participant);
  const published = {
    ...query,
    by: 'published' as const,
    since: since ?? readDays({ since: PAST }, '--').since,
  };
  const range = { limit: MAX_RUNS, cursor: undefined };
  const { items, next } = await readRows(api, '/v1/settlement-calendar', published, range);
  const today = marketToday();
  const all = items.filter(({ disagreeUntil = '' }) => disagreeUntil >= today).toSorted(compareLastDays);
  const rows = all.slice(0, limit);
  const isPart = next !== undefined || all.length > rows.length;
  if (output === 'json') return standardOutput.writeJson({ items: rows, more: isPart });
  if (rows.length === 0) await writeEmpty(api, 'No statement can be disputed any more.');
  else {
    standardOutput.writeLine(renderFittedTable(COLUMNS, rows, standardOutput.width));
    standardOutput.writeLine(AMOUNTS_AND_TIMES_NOTE);
  }
  if (isPart)
    standardOutput.writeLine(StyledText.of('There are more: raise --limit, or give --since.', 'dim'));
}

function compareLastDays(one: CalendarRow, other: CalendarRow): number {
  const keyOf = ({ disagreeUntil, market, periodFrom, participant, designation }: CalendarRow): string =>
    [disagreeUntil, market, periodFrom, participant, designation].join(' ');
  return keyOf(one) < keyOf(other) ? -1 : 1;
}

const COLUMNS: readonly Column<CalendarRow>[] = [
  { ...DISAGREE_UNTIL, rank: 0 },
  ...RUN,
  { head: 'payment', cell: ({ payment }) => showAmount(payment), align: 'right', rank: 2 },
  { head: 'charge', cell: ({ charge }) => showAmount(charge), align: 'right', rank: 2 },
  {
    head: 'published',
    cell: ({ publishedAt, revisedAt }) => showTime(revisedAt ?? publishedAt),
    rank: 3,
    whole: true,
  },
  ID,
];
