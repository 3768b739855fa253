import type { ProblemDetail } from '../../api/operations.js';

type Facts = Pick<ProblemDetail, 'kind' | 'changes'>;

/** The id of the newest event that changed the problem. */
export function newestEventOf({ changes }: Pick<Facts, 'changes'>): string | undefined {
  return changes.findLast(({ eventId }) => eventId !== undefined)?.eventId;
}

const ABOUT_RUNS: readonly Facts['kind'][] = [
  'statement-overdue',
  'disagreement',
  'invoice-overdue',
  'invoice-discrepancy',
];

/** The id with which the API finds the settlement run of a problem: that of any event about the run. */
export function statementOf(problem: Facts): string | undefined {
  return ABOUT_RUNS.includes(problem.kind) ? newestEventOf(problem) : undefined;
}
