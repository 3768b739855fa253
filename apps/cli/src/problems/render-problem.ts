import { measureNameOf } from '@ssb/events';
import { renderFittedTable, StyledText, type Column } from '@ssb/platform/cli';
import type { ProblemChange, ProblemDelivery, ProblemDetail } from '../api/operations.js';
import { describeFigure, describeFigures, labelOf, showMarketTime } from '../market/figures.js';
import {
  countOf,
  renderFields,
  renderParts,
  severityStyle,
  shortId,
  showAmount,
  showTime,
  showType,
} from '../output/text.js';

/** A problem with its history, and who was notified of it. */
export function renderProblem(problem: ProblemDetail, width: number | undefined): StyledText {
  const { changes, moreChanges, deliveries, moreDeliveries, silences } = problem;
  return renderParts([
    ['', renderFacts(problem)],
    ['', describeStatement(problem)],
    [
      'History',
      renderRows(changeColumns(problem), changes, moreChanges ? 'Earlier changes are left out.' : '', width),
    ],
    [
      'Who was notified',
      deliveries.length === 0
        ? StyledText.of('No sink gets this problem: "busbridge alerts explain" says why.', 'warning')
        : renderRows(
            DELIVERIES,
            deliveries,
            moreDeliveries ? `More: busbridge deliveries list --problem ${shortId(problem.id)}` : '',
            width,
          ),
    ],
    [
      'Silences that cover it',
      silences.length === 0
        ? undefined
        : StyledText.join(
            silences.map(({ id, author, endsAt, comment }) =>
              StyledText.of(`${shortId(id)} of ${author} until ${showTime(endsAt)}: ${comment}`),
            ),
            '\n',
          ),
    ],
  ]);
}

function renderFacts(problem: ProblemDetail): StyledText {
  const { detail, action, ...figures } = problem.figures as Readonly<Record<string, string | undefined>>;
  const { acknowledgedBy, acknowledgedAt, acknowledgeComment, closedBy, endedAt, closeComment } = problem;
  return renderFields([
    ['id', problem.id],
    ['kind', problem.kind],
    ['about', problem.key],
    ['state', problem.state],
    ['severity', problem.severity, severityStyle(problem.severity)],
    ['level', problem.level, severityStyle(problem.severity)],
    [
      'worst',
      list(problem.worstLevel ?? problem.worstSeverity, showWorst(problem)),
      severityStyle(problem.worstSeverity),
    ],
    ['since', showTime(problem.since)],
    ['figures', describeFigures(figures)],
    [
      'acknowledged',
      acknowledgedBy === undefined
        ? 'no'
        : describeDecision(acknowledgedBy, acknowledgedAt, acknowledgeComment),
    ],
    ['closed', closedBy && describeDecision(closedBy, endedAt, closeComment)],
    ['ended', closedBy === undefined ? showTime(endedAt) : undefined],
    [
      'end',
      endedAt === undefined && problem.closedByPerson
        ? 'No event ends it: close it with a comment.'
        : undefined,
    ],
    ['detail', detail],
    ['action', action],
  ]);
}

/** The figure that decides how bad a problem is, with its unit. */
export function showWorst({ kind, worstMeasure }: Pick<ProblemDetail, 'kind' | 'worstMeasure'>): string {
  if (worstMeasure === undefined) return '';
  switch (kind) {
    case 'disagreement':
      return `${countOf(Number(worstMeasure), 'business day')} left`;
    case 'invoice-discrepancy':
      return countOf(Number(worstMeasure), 'discrepancy', 'discrepancies');
    default:
      return showAmount(worstMeasure);
  }
}

/** The key is `<participant>/<market>/<first day>/<designation>/disagreement/<published at>`. */
function describeStatement({ kind, key, changes }: ProblemDetail): StyledText | undefined {
  const eventId = changes.findLast((change) => change.eventId !== undefined)?.eventId;
  if (kind !== 'disagreement' || eventId === undefined) return undefined;
  const [participant, market, period, designation, , ...published] = key.split('/');
  const id = shortId(eventId);
  const lines = [
    `Statement: ${participant} ${market} ${period} ${designation}, published ${showMarketTime('publishedAt', published.join('/'))}`,
    `What it says: busbridge statements show ${id}`,
    `What differs from the one before: busbridge statements differences ${id}`,
  ];
  return StyledText.join(
    lines.map((line) => StyledText.of(line)),
    '\n',
  );
}

const list = (...parts: readonly (string | undefined)[]): string => parts.filter(Boolean).join(', ');

const describeDecision = (by: string, at: string | undefined, comment: string | undefined): string =>
  `by ${by}${at === undefined ? '' : ` at ${showTime(at)}`}${comment === undefined ? '' : `: ${comment}`}`;

/** The level of a margin, otherwise the severity. */
const describeLevel = ({ level, severity }: Pick<ProblemChange, 'level' | 'severity'>): string =>
  level ?? severity;

/** The figure that decides how bad a problem is has its own column. */
function changeColumns({ kind, changes }: ProblemDetail): readonly Column<ProblemChange>[] {
  const measure = measureNameOf(kind);
  return [
    { head: 'at', cell: ({ at }) => showTime(at), whole: true },
    { head: 'change', cell: ({ kind }) => kind },
    {
      head: changes.some(({ level }) => level !== undefined) ? 'level' : 'severity',
      cell: describeLevel,
      style: ({ severity }) => severityStyle(severity),
    },
    ...(measure === undefined
      ? []
      : [
          {
            head: labelOf(measure),
            cell: ({ figures }: ProblemChange) =>
              figures?.[measure] === undefined ? '' : describeFigure(measure, figures[measure]),
            align: 'right' as const,
          },
        ]),
    { head: 'by', cell: ({ author, type }) => author ?? (type && showType(type)), rank: 2 },
    {
      head: 'figures or comment',
      rank: 1,
      cell: ({ comment, figures = {} }) =>
        comment ??
        describeFigures(Object.fromEntries(Object.entries(figures).filter(([name]) => name !== measure))),
    },
    { head: 'event id', cell: ({ eventId }) => eventId && shortId(eventId), rank: 3 },
  ];
}

const DELIVERIES: readonly Column<ProblemDelivery>[] = [
  { head: 'sink', cell: ({ sink }) => sink },
  { head: 'kind', cell: ({ kind }) => kind, rank: 2 },
  { head: 'sent', cell: ({ addedAt }) => showTime(addedAt), rank: 1, whole: true },
  {
    head: 'accepted by the sink',
    cell: describeAcceptance,
    style: ({ acceptedAt }) => (acceptedAt === undefined ? 'warning' : 'good'),
    whole: true,
  },
  { head: 'attempts', cell: ({ attempts }) => String(attempts), align: 'right', rank: 4 },
  { head: 'last outcome', cell: ({ lastOutcome }) => lastOutcome, rank: 5 },
  { head: 'event id', cell: ({ eventId }) => shortId(eventId), rank: 3 },
];

function describeAcceptance({ acceptedAt, state, withheld, nextAttemptAt }: ProblemDelivery): string {
  if (acceptedAt !== undefined) return showTime(acceptedAt);
  if (withheld !== undefined) return `withheld (${withheld})`;
  return nextAttemptAt === undefined ? state : `${state}, next attempt ${showTime(nextAttemptAt)}`;
}

function renderRows<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  more: string,
  width: number | undefined,
): StyledText {
  const table = renderFittedTable(columns, rows, width);
  return more === '' ? table : StyledText.join([table, StyledText.of(more, 'dim')], '\n');
}
