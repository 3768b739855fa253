import type { DetectedEvent } from '../event.js';
import type { EventType } from '../envelope/event-type.js';
import { pickFigures, type Figures } from '../figures.js';
import { ALERT_REASONS, isAlertReason } from '../types/alert-reasons.js';
import type { Severity } from '../types/margin.js';
import { PROBLEM_KINDS, PROBLEMS, type ProblemKind, type ProblemLevel } from './problem-kinds.js';

/** What an event says about a problem. */
export interface ProblemSignal {
  readonly kind: ProblemKind;
  /** Names the problem among the open ones of its kind. */
  readonly key: string;
  /** `lasts`: it opens the problem, or an open one continues. `ends`: it resolves an open one. */
  readonly effect: 'lasts' | 'ends';
  /** Of a problem with levels. */
  readonly level?: ProblemLevel;
  /** Named by the event itself. */
  readonly severity?: Severity;
  /** The figures that a person needs. */
  readonly figures: Figures;
  /** The figure that makes an event worse than another one of the problem. */
  readonly measure?: { readonly value: string; readonly worse: 'lower' | 'higher' };
  /** No event ends it, so a person closes it. */
  readonly closedByPerson: boolean;
}

type EventAbout = Pick<DetectedEvent, 'type' | 'subject' | 'data'>;

/** The kind of the problem to which events of a type belong. */
const KIND_OF: ReadonlyMap<EventType, ProblemKind> = new Map(
  PROBLEM_KINDS.flatMap((kind) =>
    [...PROBLEMS[kind].opens, ...PROBLEMS[kind].resolves].map((type) => [type, kind] as const),
  ),
);

/** The kind of problem that events of a type open, worsen or resolve. */
export function problemKindOf(type: EventType): ProblemKind | undefined {
  return KIND_OF.get(type);
}

/** Paths in the `data` to figures, in this order, where an event has them. */
const FIGURES = {
  margin: [
    'tradingMargin',
    'previousMargin',
    'outstandingAmount',
    'tradingDay',
    'calculatedAt',
    'thresholds.warning',
    'thresholds.breach',
  ],
  'credit-support': ['creditSupport', 'creditLimit', 'difference', 'tradingDay', 'calculatedAt'],
  'breach-forecast': [
    'tradingMargin',
    'breach',
    'breachDay',
    'daysUntilBreach',
    'method',
    'tradingDay',
    'calculatedAt',
  ],
  'statement-overdue': ['statementDate', 'overdueSince', 'period'],
  disagreement: ['disagreeUntil', 'businessDaysLeft', 'publishedAt'],
  'invoice-overdue': ['invoiceDate', 'overdueSince', 'period'],
  'invoice-discrepancy': ['id', 'count'],
  'position-stale': ['lastCalculatedAt', 'staleSince', 'allowedSeconds', 'calculatedAt'],
  'operator-unreachable': ['interface', 'since', 'cause', 'detail', 'recoveredAt'],
  'bridge-fault': ['app', 'reason', 'count', 'since', 'detail', 'action', 'clearedAt'],
} as const satisfies Readonly<Record<ProblemKind, readonly string[]>>;

const MEASURES: Readonly<
  Partial<Record<ProblemKind, { readonly figure: string; readonly worse: 'lower' | 'higher' }>>
> = {
  margin: { figure: 'tradingMargin', worse: 'lower' },
  'credit-support': { figure: 'difference', worse: 'lower' },
  'breach-forecast': { figure: 'tradingMargin', worse: 'lower' },
  disagreement: { figure: 'businessDaysLeft', worse: 'lower' },
  'invoice-discrepancy': { figure: 'count', worse: 'higher' },
  'bridge-fault': { figure: 'count', worse: 'higher' },
};

/** Name of the figure by which one event of a problem is worse than another one. */
export const measureNameOf = (kind: ProblemKind): string | undefined => MEASURES[kind]?.figure;

/** What an event says about a problem; undefined for an event of no problem. */
export function readProblemSignal(event: EventAbout): ProblemSignal | undefined {
  const kind = KIND_OF.get(event.type);
  if (kind === undefined) return undefined;
  const data = event.data as Readonly<Record<string, unknown>>;
  const figures = pickFigures(data, FIGURES[kind]);
  const measure = MEASURES[kind];
  const value = measure && figures[measure.figure];
  const level = kind === 'margin' ? readLevel(data['level']) : undefined;
  // The severity of margin.restored is that of good news, and not that of the level that lasts.
  const isBetter = event.type === 'settlementbus.margin.restored.v1';
  const { severity } = (isBetter ? {} : data) as { readonly severity?: Severity };
  return {
    kind,
    key: keyOf(kind, event),
    effect: endsProblem(kind, event.type, level) ? 'ends' : 'lasts',
    ...(level !== undefined && { level }),
    ...(severity !== undefined && { severity }),
    figures,
    ...(measure && value !== undefined && { measure: { value, worse: measure.worse } }),
    closedByPerson: isClosedByPerson(kind, data['reason']),
  };
}

function endsProblem(kind: ProblemKind, type: EventType, level: ProblemLevel | undefined): boolean {
  if (kind === 'margin') return level === undefined;
  return (PROBLEMS[kind].resolves as readonly EventType[]).includes(type);
}

/** The level OK is not a problem. */
function readLevel(level: unknown): ProblemLevel | undefined {
  return level === 'WARNING' || level === 'BREACHED' ? level : undefined;
}

function isClosedByPerson(kind: ProblemKind, reason: unknown): boolean {
  if (kind === 'bridge-fault') return isAlertReason(reason) && !ALERT_REASONS[reason].clears;
  return PROBLEMS[kind].resolves.length === 0;
}

/** Events of one overdue document have different subjects. */
function keyOf(kind: ProblemKind, { subject }: EventAbout): string {
  switch (kind) {
    case 'statement-overdue':
      return subject.replace(/\/overdue$/, '');
    case 'invoice-overdue':
      return subject.replace(/\/(?:invoice-overdue|invoice\/[^/]*)$/, '');
    default:
      return subject;
  }
}
