import { renderFittedTable, standardOutput, StyledText, type Column } from '@ssb/platform/cli';
import type { StatementDetail, StatementVariable, StatementVersion } from '../api/operations.js';
import { withApi, type ApiOptions } from '../commands/api-command.js';
import { printResult } from '../output/listing.js';
import { renderFields, renderParts, shortId, showAmount, showTime } from '../output/text.js';
import { AMOUNTS_AND_TIMES_NOTE } from './amounts.js';
import { INVOICES } from './invoices.js';

/** Variables that the text has. */
const MAX_VARIABLES = 50;

export function showStatement(id: string, options: ApiOptions): Promise<void> {
  return withApi(options, async (api) => {
    const statement = await api.get('/v1/statements/{id}', { parts: { id } });
    printResult(statement, options.output, () => renderStatement(statement, standardOutput.width));
  });
}

function renderStatement(statement: StatementDetail, width: number | undefined): StyledText {
  const { versions, moreVersions, invoices, moreInvoices, variables, variablesSummary } = statement;
  const all = variables?.length ?? 0;
  return renderParts([
    ['', renderFacts(statement)],
    [
      'Statement',
      renderRows(VERSIONS, versions, moreVersions ? 'Earlier versions are left out.' : '', width),
    ],
    ['Invoices', renderRows(INVOICES, invoices, moreInvoices ? 'Further invoices are left out.' : '', width)],
    [
      'Variables',
      renderRows(
        VARIABLES,
        variables?.slice(0, MAX_VARIABLES) ?? [],
        all > MAX_VARIABLES || statement.moreVariables ? `The first ${MAX_VARIABLES}; --json has more.` : '',
        width,
      ),
    ],
    [
      '',
      variablesSummary &&
        StyledText.of(
          `${variablesSummary.count} variables, at ${variablesSummary.path} of the operator (SHA-256 ${variablesSummary.sha256}).`,
        ),
    ],
    ['', describeNext(statement)],
    ['', AMOUNTS_AND_TIMES_NOTE],
  ]);
}

/** What differs, and the whole record of a summarised statement. */
function describeNext({ id, revisions, variablesSummary }: StatementDetail): StyledText | undefined {
  const lines = [
    ...(revisions > 0 || variablesSummary !== undefined
      ? [`What differs: busbridge statements differences ${shortId(id)}`]
      : []),
    ...(variablesSummary === undefined
      ? []
      : [`All variables: busbridge records get ${variablesSummary.sha256}`]),
  ];
  return lines.length === 0
    ? undefined
    : StyledText.join(
        lines.map((line) => StyledText.of(line, 'dim')),
        '\n',
      );
}

function renderFacts(statement: StatementDetail): StyledText {
  const { status, statementOverdueSince, invoiceOverdueSince } = statement;
  return renderFields([
    ['id', statement.id],
    ['run', `${statement.participant} ${statement.market} ${statement.periodFrom} ${statement.designation}`],
    ['period', statement.period],
    ['status', status, status === 'overdue' ? 'bad' : undefined],
    ['statement due', statement.statementDueDate],
    ['statement overdue', showTime(statementOverdueSince), 'bad'],
    ['published', showTime(statement.publishedAt)],
    ['revised', showTime(statement.revisedAt)],
    ['disagree until', statement.disagreeUntil],
    ['payment', showAmount(statement.payment)],
    ['charge', showAmount(statement.charge)],
    ['invoice due', statement.invoiceDueDate],
    ['invoice overdue', showTime(invoiceOverdueSince), 'bad'],
  ]);
}

const VERSIONS: readonly Column<StatementVersion>[] = [
  { head: 'published', cell: ({ publishedAt }) => showTime(publishedAt), whole: true },
  { head: 'kind', cell: ({ kind }) => kind },
  { head: 'disagree until', cell: ({ disagreeUntil }) => disagreeUntil, whole: true, rank: 1 },
  { head: 'payment', cell: ({ payment }) => showAmount(payment), align: 'right' },
  { head: 'change', cell: ({ paymentDifference }) => showAmount(paymentDifference), align: 'right', rank: 2 },
  { head: 'charge', cell: ({ charge }) => showAmount(charge), align: 'right' },
  { head: 'change', cell: ({ chargeDifference }) => showAmount(chargeDifference), align: 'right', rank: 2 },
  { head: 'event id', cell: ({ eventId }) => shortId(eventId), rank: 3 },
];

const VARIABLES: readonly Column<StatementVariable>[] = [
  { head: 'day', cell: ({ tradingDay }) => tradingDay, whole: true },
  { head: 'variable', cell: ({ variable }) => variable },
  { head: 'side', cell: ({ pOrC }) => ({ P: 'payment', C: 'charge' })[pOrC] ?? pOrC },
  { head: 'value', cell: ({ value }) => showAmount(value), align: 'right' },
];

/** Undefined without rows. */
function renderRows<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  more: string,
  width: number | undefined,
): StyledText | undefined {
  if (rows.length === 0) return undefined;
  const table = renderFittedTable(columns, rows, width);
  return more === '' ? table : StyledText.join([table, StyledText.of(more, 'dim')], '\n');
}
