import { describeProblemKind } from '@ssb/events/problems';
import type { ProblemRow } from '../../api/operations.js';

/** What closing a problem means. */
export function explainClose({ kind, closedByPerson }: Pick<ProblemRow, 'kind' | 'closedByPerson'>): string {
  if (closedByPerson)
    return 'No event ends this problem, so a person closes it. Say what was found or done; the comment stays with the problem.';
  if (describeProblemKind(kind).staysClosed === true)
    return 'It stays closed: later events about it alert nobody. Say that the notice was sent, or why there is none.';
  const margin =
    kind === 'margin' ? ' A margin that is still below a threshold stays in the state of the bridge.' : '';
  return `It is not over: closing ends the messages about it now, and the next event about it opens another problem.${margin} To say that you act on it, acknowledge it instead.`;
}
