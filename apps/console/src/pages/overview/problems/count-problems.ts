import type { ProblemRow } from '../../../api/operations.js';

const SEVERITIES = ['critical', 'warning', 'info'] as const;

/** How many problems there are, by severity: `2 critical, 14 warning`. @param next present when there are more */
export function countProblems(
  problems: readonly Pick<ProblemRow, 'severity'>[],
  next: string | undefined,
): string {
  const counts = SEVERITIES.flatMap((severity) => {
    const count = problems.filter((problem) => problem.severity === severity).length;
    return count === 0 ? [] : [`${count} ${severity}`];
  });
  if (next !== undefined) return `All, more than ${problems.length}`;
  return counts.length === 0 ? 'All problems' : `All: ${counts.join(', ')}`;
}
