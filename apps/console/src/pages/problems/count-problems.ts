import type { ProblemRow } from '../../api/operations.js';

interface Count {
  readonly label: string;
  readonly count: number;
  readonly tone: 'critical' | 'warning' | 'muted';
}

/** How many problems there are: open ones by severity, those that a person handles, and ended ones. Zeros are left out, except of critical ones. */
export function countProblems(rows: readonly Pick<ProblemRow, 'state' | 'severity'>[]): readonly Count[] {
  const open = rows.filter(({ state }) => state === 'open');
  const count = (severity: ProblemRow['severity']): number =>
    open.filter((problem) => problem.severity === severity).length;
  const inState = (...states: readonly ProblemRow['state'][]): number =>
    rows.filter(({ state }) => states.includes(state)).length;
  const counts: readonly Count[] = [
    { label: 'critical', count: count('critical'), tone: count('critical') > 0 ? 'critical' : 'muted' },
    { label: 'warning', count: count('warning'), tone: 'warning' },
    { label: 'info', count: count('info'), tone: 'muted' },
    { label: 'acknowledged', count: inState('acknowledged'), tone: 'muted' },
    { label: 'ended', count: inState('resolved', 'closed'), tone: 'muted' },
  ];
  return counts.filter((each) => each.count > 0 || (each.label === 'critical' && open.length > 0));
}

/** The counts in one line: `2 critical, 14 warning, 1 acknowledged`. @param hasMore whether there are more than the rows */
export function describeCounts(
  rows: readonly Pick<ProblemRow, 'state' | 'severity'>[],
  hasMore: boolean,
): string {
  if (hasMore) return `more than ${rows.length}`;
  return countProblems(rows)
    .filter(({ count }) => count > 0)
    .map(({ label, count }) => `${count} ${label}`)
    .join(', ');
}
