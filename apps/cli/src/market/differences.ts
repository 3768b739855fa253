import { renderFittedTable, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import type { ComparedVersion, DifferenceRow, DifferencesPage, TotalChange } from '../api/operations.js';
import { withApi, type ListOptions } from '../commands/api-command.js';
import { readRows, reportLeft, writeCsv } from '../output/listing.js';
import { countOf, renderFields, renderParts, shortId, showAmount, showTime } from '../output/text.js';
import { AMOUNTS_AND_TIMES_NOTE } from './amounts.js';

const PATH = '/v1/statements/{id}/differences';

export interface DifferencesOptions extends ListOptions {
  readonly against?: string;
}

export function listDifferences(
  id: string,
  { against, output, limit, cursor, ...options }: DifferencesOptions,
): Promise<void> {
  const [query, range, parts] = [{ against }, { limit, cursor }, { id }];
  return withApi({ output, ...options }, async (api) => {
    if (output === 'csv') return reportLeft(await writeCsv(api, PATH, query, range, { parts }));
    const { items, next, page } = await readRows(api, PATH, query, range, parts);
    const { before, after, count, totals } = page;
    if (output === 'json') return standardOutput.writeJson({ before, after, count, totals, items, next });
    standardOutput.writeLine(renderDifferences(page, items, next));
  });
}

function renderDifferences(
  { before, after, count, totals }: DifferencesPage,
  items: readonly DifferenceRow[],
  next: string | undefined,
): StyledText {
  const { width } = standardOutput;
  const sums = (['payment', 'charge', 'net'] as const).map((name) => ({ name, ...totals[name] }));
  return renderParts([
    [
      '',
      renderFields([
        ['before', describeVersion(before)],
        ['after', describeVersion(after)],
      ]),
    ],
    ['Sums of all variables', renderFittedTable(TOTALS, sums, width)],
    [
      countOf(count, 'difference'),
      items.length === 0 ? undefined : renderFittedTable(DIFFERENCES, items, width),
    ],
    ['', AMOUNTS_AND_TIMES_NOTE],
    [
      '',
      next === undefined
        ? undefined
        : StyledText.of(`There are more: raise --limit, or continue with --cursor ${next}`, 'dim'),
    ],
  ]);
}

function describeVersion({ designation, runId, publishedAt, eventId }: ComparedVersion): string {
  return `${designation}, run ${runId}, published ${showTime(publishedAt)}, event ${shortId(eventId)}`;
}

type NamedTotal = TotalChange & { readonly name: string };

const TOTALS: readonly Column<NamedTotal>[] = [
  { head: 'sum', cell: ({ name }) => name },
  { head: 'before', cell: ({ before }) => showAmount(before), align: 'right' },
  { head: 'after', cell: ({ after }) => showAmount(after), align: 'right' },
  { head: 'difference', cell: ({ difference }) => showAmount(difference), align: 'right' },
];

const DIFFERENCES: readonly Column<DifferenceRow>[] = [
  { head: 'day', cell: ({ tradingDay }) => tradingDay, whole: true },
  { head: 'variable', cell: ({ variable }) => variable },
  { head: 'side', cell: ({ pOrC }) => ({ P: 'payment', C: 'charge' })[pOrC] ?? pOrC },
  { head: 'GST', cell: ({ gstApplicable }) => gstApplicable, rank: 2 },
  { head: 'before', cell: ({ before }) => showAmount(before), align: 'right', rank: 1 },
  { head: 'after', cell: ({ after }) => showAmount(after), align: 'right', rank: 1 },
  { head: 'difference', cell: ({ difference }) => showAmount(difference), align: 'right' },
  { head: 'share', cell: ({ share }) => `${share} %`, align: 'right', rank: 1 },
];
