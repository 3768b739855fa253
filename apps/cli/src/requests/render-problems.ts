import { shortType } from '@ssb/config';
import { measureNameOf } from '@ssb/events';
import { toPrintable } from '@ssb/net';
import { MAX_CHANGES, type ListedChange, type ListedProblem } from './list-problems.js';
import { renderFigures, shortId, table, toCell } from './render.js';

/** Longer than any text of a fault. */
const MAX_TEXT_LENGTH = 10_000;

export function renderProblems(problems: readonly ListedProblem[], more: boolean): string {
  const rows = table(
    ['id', 'severity', 'kind', 'participant', 'state', 'since', 'worst', 'acknowledged by', 'about'],
    problems.map((each) => [
      shortId(each.problemId),
      each.endedAt === null ? each.severity : each.worstSeverity,
      each.kind,
      each.participant,
      each.state,
      toUtc(each.since),
      [each.worstLevel, amountOf(each)].filter((part) => part !== null).join(' '),
      each.acknowledgedBy,
      each.key,
    ]),
  );
  return more
    ? `${rows}\nThere are more. Raise --limit, or choose with --kind, --severity or --participant.`
    : rows;
}

export function renderProblem(problem: ListedProblem): string {
  const { acknowledgedBy, acknowledgedAt, acknowledgeComment, closedBy, closeComment } = problem;
  const { detail, action, ...figures } = problem.figures;
  const lines: readonly (readonly [string, unknown])[] = [
    ['id', problem.problemId],
    ['kind', problem.kind],
    ['about', problem.key],
    ['state', problem.state],
    ['severity', [problem.severity, problem.level].filter((part) => part !== null).join(', ')],
    [
      'worst',
      [problem.worstSeverity, problem.worstLevel, amountOf(problem)]
        .filter((part) => part !== null)
        .join(', '),
    ],
    ['since', toUtc(problem.since)],
    ['figures', renderFigures(figures)],
    ...(acknowledgedBy === null
      ? []
      : [['acknowledged', describeDecision(acknowledgedBy, acknowledgedAt, acknowledgeComment)] as const]),
    ...(closedBy === null
      ? []
      : [['closed', describeDecision(closedBy, problem.endedAt, closeComment)] as const]),
    ...(problem.endedAt === null && problem.closedByPerson
      ? [['end', 'No event ends it: close it with a comment.'] as const]
      : []),
  ];
  return [
    ...lines.map(([name, value]) => [name, toCell(value)] as const),
    ...Object.entries({ detail, action }).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, toPrintable(text, MAX_TEXT_LENGTH)] as const],
    ),
  ]
    .map(([name, text]) => `${name.padEnd(13)} ${text}`)
    .join('\n');
}

/** The other times of a list are in UTC. */
function toUtc(since: string): string {
  const time = new Date(since);
  return Number.isNaN(time.getTime()) ? since : time.toISOString();
}

/** The worst figure, when it is an amount of money. A count has no unit. */
const amountOf = ({ kind, worstMeasure }: ListedProblem): string | null =>
  worstMeasure === null || measureNameOf(kind) === 'count' ? null : `${worstMeasure} AUD`;

const describeDecision = (by: string, at: Date | null, comment: string | null): string =>
  `by ${by}${at === null ? '' : ` at ${at.toISOString()}`}${comment === null ? '' : `: ${comment}`}`;

export function renderChanges(changes: readonly ListedChange[]): string {
  const rows = table(
    ['at', 'change', 'severity', 'by', 'event id', 'figures or comment'],
    changes.map((each) => [
      each.at,
      each.kind,
      [each.severity, each.level].filter((part) => part !== null).join(', '),
      each.author ?? (each.type === null ? '' : shortType(each.type)),
      each.eventId,
      each.comment ?? renderFigures(each.figures),
    ]),
  );
  return changes.length < MAX_CHANGES ? rows : `${rows}\nOnly the newest ${MAX_CHANGES} changes are shown.`;
}
