import type { EventType } from '../envelope/event-type.js';
import type { MarginLevel, Severity } from '../types/margin.js';

/** Levels of a problem of kind `margin`; the last one is the worst. */
export const PROBLEM_LEVELS = ['WARNING', 'BREACHED'] as const satisfies readonly MarginLevel[];
export type ProblemLevel = (typeof PROBLEM_LEVELS)[number];

/** A state that lasts until it is resolved or closed, and what is known of every problem of the kind. */
export interface ProblemKindDescription {
  readonly meaning: string;
  /** Each of these events opens the problem; while it is open, it can make it worse. */
  readonly opens: readonly EventType[];
  /** Each of these events resolves it. Empty when only a person ends it. */
  readonly resolves: readonly EventType[];
  /** Form of its key, with `<…>` for the parts. Events with the same key belong to one problem. */
  readonly key: string;
  /** How the subjects of its events give the key. */
  readonly subjects: string;
  /** Severity of an event that names none: one for the kind, or one for each level. */
  readonly severity: Severity | Readonly<Record<ProblemLevel, Severity>>;
  /** Once a person has closed it, no later event of its key opens another one. */
  readonly staysClosed?: true;
}

const RUN = '<participant>/<market>/<first day>/<designation>';
const SAME = 'The subject is the key.';

/** The closed list of the kinds of problems. `docs/problems.md` is generated from it. */
export const PROBLEMS = {
  margin: {
    meaning: 'The trading margin is below the warning or the breach threshold of the participant.',
    opens: [
      'settlementbus.margin.warning.v1',
      'settlementbus.margin.breached.v1',
      'settlementbus.margin.restored.v1',
    ],
    resolves: ['settlementbus.margin.restored.v1'],
    key: '<participant>/prudential',
    subjects: `${SAME} margin.restored with level OK resolves the problem. With level WARNING it lowers it, to the severity of that level, because the event itself names the severity of a recovery.`,
    severity: { WARNING: 'warning', BREACHED: 'critical' },
  },
  'credit-support': {
    meaning: 'The credit support is below the credit limit.',
    opens: ['settlementbus.credit-support.short.v1'],
    resolves: ['settlementbus.credit-support.restored.v1'],
    key: '<participant>/credit-support',
    subjects: SAME,
    severity: 'critical',
  },
  'breach-forecast': {
    meaning: 'A breach of the margin is forecast, by the operator or by the trend.',
    opens: ['settlementbus.margin.breach-forecast.v1'],
    resolves: ['settlementbus.margin.forecast-cleared.v1'],
    key: '<participant>/margin-forecast/<method>',
    subjects: SAME,
    severity: 'warning',
  },
  'statement-overdue': {
    meaning: 'A settlement statement is not there although its day has passed.',
    opens: ['settlementbus.statement.overdue.v1'],
    resolves: ['settlementbus.statement.published.v1', 'settlementbus.statement.revised.v1'],
    key: RUN,
    subjects: 'statement.overdue has `/overdue` after the key; the others have the key as their subject.',
    severity: 'warning',
  },
  disagreement: {
    meaning: 'The last day to send a notice of disagreement about a statement is near.',
    opens: ['settlementbus.statement.disagreement-due.v1'],
    resolves: ['settlementbus.statement.disagreement-lapsed.v1'],
    key: `${RUN}/disagreement/<published at>/<digest>`,
    subjects: SAME,
    severity: 'warning',
    staysClosed: true,
  },
  'invoice-overdue': {
    meaning: 'An invoice is not there although its day has passed.',
    opens: ['settlementbus.invoice.overdue.v1'],
    resolves: ['settlementbus.invoice.issued.v1', 'settlementbus.invoice.adjusted.v1'],
    key: RUN,
    subjects: 'invoice.overdue has `/invoice-overdue` after the key, the others `/invoice/<id>`.',
    severity: 'warning',
  },
  'invoice-discrepancy': {
    meaning: 'Amounts of an invoice do not agree with each other, or with the earlier invoice.',
    opens: ['settlementbus.invoice.discrepancy.v1'],
    resolves: [],
    key: `${RUN}/invoice/<id>/discrepancy`,
    subjects: SAME,
    severity: 'warning',
  },
  'position-stale': {
    meaning: 'The operator has published no new calculation for longer than allowed.',
    opens: ['settlementbus.position.stale.v1'],
    resolves: ['settlementbus.position.resumed.v1'],
    key: '<participant>/position/stale',
    subjects: SAME,
    severity: 'warning',
  },
  'operator-unreachable': {
    meaning: 'An interface of the operator refuses the bridge or cannot be reached.',
    opens: ['settlementbus.market.unreachable.v1'],
    resolves: ['settlementbus.market.recovered.v1'],
    key: '<participant>/market/<interface>',
    subjects: SAME,
    severity: 'critical',
  },
  'bridge-fault': {
    meaning: 'The bridge itself has a fault, such as missing heartbeats.',
    opens: ['settlementbus.bridge.alert.raised.v1'],
    resolves: ['settlementbus.bridge.alert.cleared.v1'],
    key: '<participant>/bridge/<app>/<reason>[/<channel>][/<sender>][/<interface>][/<document>]',
    subjects: `${SAME} A fault of kind single has no end of its own.`,
    severity: 'warning',
  },
} as const satisfies Readonly<Record<string, ProblemKindDescription>>;

export type ProblemKind = keyof typeof PROBLEMS;

export const PROBLEM_KINDS = Object.keys(PROBLEMS) as readonly ProblemKind[];

/** What is known of every problem of a kind. */
export const describeProblemKind = (kind: ProblemKind): ProblemKindDescription => PROBLEMS[kind];
