import type { ProblemRow } from '../../api/operations.js';
import { ACKNOWLEDGE, describeFault } from './fault-advice.js';
import { shownLevel, type ProblemKind } from './problem-titles.js';

/** What a problem means, and what a person does about it. */
export interface Advice {
  readonly meaning: string;
  /** In their order. */
  readonly steps: readonly string[];
  /** How the problem ends. */
  readonly end: string;
}

export type Advised = Pick<
  ProblemRow,
  'kind' | 'key' | 'state' | 'level' | 'worstLevel' | 'endedAt' | 'figures' | 'closedByPerson'
>;

/** The advice for a problem in plain words, without what a person has done already. */
export function adviceFor(problem: Advised): Advice {
  const advice = adviceForKind(problem);
  return problem.state === 'acknowledged'
    ? { ...advice, steps: advice.steps.filter((step) => step !== ACKNOWLEDGE) }
    : advice;
}

function adviceForKind(problem: Advised): Advice {
  switch (problem.kind) {
    case 'margin':
      return shownLevel(problem) === 'BREACHED' ? BREACH : ADVICE.margin;
    case 'operator-unreachable':
      return describeOutage(problem);
    case 'bridge-fault':
      return describeFault(problem);
    default:
      return ADVICE[problem.kind];
  }
}

const BREACH: Advice = {
  meaning:
    'The trading margin is below your own breach threshold. This is not a margin call of the operator, but one can follow, and you must react in time.',
  steps: [
    'Call the person who is responsible for the margin. Say the margin, the threshold and the time of the calculation.',
    'Provide cash or credit support.',
    ACKNOWLEDGE,
    'If the figure looks wrong or old, compare it with the site of the operator.',
  ],
  end: 'It ends by itself when a new calculation is above the thresholds again. Do not change the thresholds to end it.',
};

const ADVICE: Readonly<Record<Exclude<ProblemKind, 'bridge-fault' | 'operator-unreachable'>, Advice>> = {
  margin: {
    meaning:
      'The trading margin is below your own warning threshold, and not below the breach threshold. It can become a breach with the next calculation.',
    steps: [
      'Inform the person who is responsible for the margin during the working day; at once if the margin falls fast.',
      'Check the coming trading days, and prepare cash or credit support.',
      ACKNOWLEDGE,
    ],
    end: 'It ends by itself when a new calculation is above the warning threshold again.',
  },
  'credit-support': {
    meaning:
      'The credit support is below the credit limit. The market requires at least the limit at all times.',
    steps: [
      'Inform the person who is responsible for credit support at once.',
      'Increase the credit support by at least the difference.',
      ACKNOWLEDGE,
    ],
    end: 'It ends by itself when the credit support is at least the credit limit again.',
  },
  'breach-forecast': {
    meaning:
      'The trading margin is above the breach threshold now. It is expected to fall below it, by the forecast of the operator or by the trend of the last calculations.',
    steps: [
      'Plan cash or credit support for the day of the forecast breach.',
      'Inform the person who is responsible for the margin during the working day.',
      ACKNOWLEDGE,
    ],
    end: 'It ends by itself when a breach is no longer forecast.',
  },
  'statement-overdue': {
    meaning:
      'The day of the statement has passed, and the operator has not published it. Nothing is lost: the bridge keeps requesting it.',
    steps: [
      'Look at the site of the operator. If the statement is there, tell those who operate the bridge.',
      'If it is not there, ask the operator for the new date, and inform the settlement team.',
      ACKNOWLEDGE,
    ],
    end: 'It ends by itself when the statement is published.',
  },
  disagreement: {
    meaning:
      'The window to dispute a statement ends soon. Whether a notice of disagreement was sent is unknown to the bridge.',
    steps: [
      'Compare the statement with your own calculation, and look at what has changed since the one before.',
      'If the amounts are wrong, send the notice of disagreement at the latest on the last day.',
      'Close the problem with a comment: that the notice was sent, or why there is none.',
    ],
    end: 'It ends by itself when the last day has passed. Closed by a person, it stays closed.',
  },
  'invoice-overdue': {
    meaning:
      'The day of the invoice has passed, and the operator has not issued it. The payment can be due before the invoice is there. The bridge keeps requesting it.',
    steps: [
      'Look at the site of the operator. If the invoice is there, tell those who operate the bridge.',
      'If it is not there, ask the operator for the new date, and plan the payment by the statement.',
      ACKNOWLEDGE,
    ],
    end: 'It ends by itself when the invoice is issued.',
  },
  'invoice-discrepancy': {
    meaning: 'Amounts of an invoice do not agree with each other, or with the invoice before it.',
    steps: [
      'Look at the event: it names the amounts that do not agree. Check them against the PDF of the invoice.',
      'If the invoice is wrong, send the operator a notice of disagreement, and decide what to pay meanwhile.',
      'Close the problem with a comment that says what you found.',
    ],
    end: 'No event ends it: a person closes it.',
  },
  'position-stale': {
    meaning:
      'The operator has published no new calculation for longer than allowed. The margin that you see is old, and can hide a breach.',
    steps: [
      'Do not rely on the last margin. Look at the site of the operator.',
      'Ask the help desk of the operator, with the participant and the time of the last calculation.',
      'Tell the person who is responsible for the margin that the figure is old.',
    ],
    end: 'It ends by itself with the next calculation.',
  },
};

/** As the event names the cause. */
const CAUSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    certificate: 'The operator refuses the client certificate of the bridge, or the certificate has expired.',
    token: 'The bridge gets no access token for the operator.',
    forbidden: 'The operator refuses the bridge.',
    'server-error': 'The operator responds with errors.',
    'rate-limited': 'The operator refuses the bridge because of too many requests.',
    'no-response': 'The operator does not respond.',
    'unusable-response': 'The responses of the operator cannot be used.',
  }),
);

/** Causes that only those who operate the bridge can remove. */
const OWN_CAUSES = new Set(['certificate', 'token', 'forbidden', 'rate-limited']);

function describeOutage({ figures }: Advised): Advice {
  const cause = typeof figures['cause'] === 'string' ? figures['cause'] : '';
  return {
    meaning: `${CAUSES.get(cause) ?? 'An interface of the operator refuses the bridge or does not respond.'} New breaches, statements and invoices are not seen until it is over. Nothing is lost: they are detected afterwards.`,
    steps: [
      OWN_CAUSES.has(cause)
        ? 'Tell those who operate the bridge: certificate, account or number of requests must be corrected.'
        : 'Call the help desk of the operator. If the operator works, tell those who operate the bridge to check the network.',
      'Watch the margin and the settlement on the site of the operator meanwhile.',
      ACKNOWLEDGE,
    ],
    end: 'It ends by itself when the interface responds again.',
  };
}
