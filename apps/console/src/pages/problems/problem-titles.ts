import type { ProblemRow } from '../../api/operations.js';
import { toWords } from '../../format/names.js';
import { nameRun } from '../../format/run-name.js';

export type ProblemKind = ProblemRow['kind'];

/** Names of the kinds, as in a choice. */
export const KIND_NAMES: Readonly<Record<ProblemKind, string>> = {
  margin: 'Trading margin',
  'credit-support': 'Credit support',
  'breach-forecast': 'Breach forecast',
  'statement-overdue': 'Statement overdue',
  disagreement: 'Last day to dispute',
  'invoice-overdue': 'Invoice overdue',
  'invoice-discrepancy': 'Invoice discrepancy',
  'position-stale': 'No new calculation',
  'operator-unreachable': 'Operator not reachable',
  'bridge-fault': 'Fault of the bridge',
};

type Titled = Pick<
  ProblemRow,
  'kind' | 'key' | 'participant' | 'level' | 'worstLevel' | 'endedAt' | 'figures'
>;

/** Of an ended problem the worst one. */
export const shownLevel = ({
  level,
  worstLevel,
  endedAt,
}: Pick<ProblemRow, 'level' | 'worstLevel' | 'endedAt'>): ProblemRow['level'] =>
  endedAt === undefined ? level : (worstLevel ?? level);

/** What is wrong, in a few words. Of an ended problem, what was wrong at worst. */
export function titleOf(problem: Titled): string {
  const { kind, key, figures } = problem;
  switch (kind) {
    case 'margin':
      return `Trading margin below the ${shownLevel(problem) === 'BREACHED' ? 'breach' : 'warning'} threshold`;
    case 'credit-support':
      return 'Credit support below the credit limit';
    case 'breach-forecast':
      return 'Breach of the trading margin forecast';
    case 'statement-overdue':
      return 'Settlement statement overdue';
    case 'disagreement':
      return 'Last day to dispute a statement is near';
    case 'invoice-overdue':
      return 'Invoice overdue';
    case 'invoice-discrepancy':
      return 'Invoice amounts do not agree';
    case 'position-stale':
      return 'No new prudential calculation';
    case 'operator-unreachable':
      return 'Operator not reachable';
    case 'bridge-fault': {
      const reason = figures['reason'] ?? key.split('/')[3];
      return typeof reason === 'string' ? `Fault of the bridge: ${toWords(reason)}` : 'Fault of the bridge';
    }
  }
}

/**
 * What the problem is about beside its participant, from its key; empty when the title says it all.
 * @param showsDids false where identities of senders say nothing to a reader
 */
export function describeAbout({ kind, key, participant, figures }: Titled, showsDids = true): string {
  const parts = key.startsWith(`${participant}/`)
    ? key.slice(participant.length + 1).split('/')
    : key.split('/').slice(1);
  switch (kind) {
    case 'margin':
    case 'credit-support':
    case 'position-stale':
      return '';
    case 'breach-forecast':
      return parts[1] === 'trend' ? 'by the trend' : 'by the forecast of the operator';
    case 'statement-overdue':
    case 'disagreement':
    case 'invoice-overdue':
    case 'invoice-discrepancy':
      return describeRun(parts, figures);
    case 'operator-unreachable':
      return `${parts[1] ?? ''} interface`;
    case 'bridge-fault':
      // The reason is in the title.
      return [parts[1], ...parts.slice(3)]
        .filter((part) => part && (showsDids || !part.startsWith('did:')))
        .join(', ');
  }
}

/** What is wrong, whose, and which one: a name that no other problem has. */
export function nameProblem(problem: Titled): string {
  return [titleOf(problem), showParticipant(problem.participant), describeAbout(problem)]
    .filter(Boolean)
    .join(', ');
}

/** The parts are market, first day, designation and what follows. */
function describeRun(
  [market = '', day = '', designation = '', , invoice]: readonly string[],
  { id }: ProblemRow['figures'],
): string {
  const run = nameRun({ market, designation, periodFrom: day });
  return typeof id === 'string' && id === invoice ? `${run}, invoice ${id}` : run;
}

/** The participant as it is shown: a fault can concern all. */
export const showParticipant = (participant: string): string =>
  participant === '*' ? 'all participants' : participant;
