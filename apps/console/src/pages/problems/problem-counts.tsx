import type { ProblemRow } from '../../api/operations.js';
import { countProblems } from './count-problems.js';

interface ProblemCountsProps {
  readonly rows: readonly ProblemRow[];
  /** Whether there are more than the rows. */
  readonly hasMore: boolean;
}

/** How many of the problems need a person. */
export function ProblemCounts({ rows, hasMore }: ProblemCountsProps) {
  const counts = countProblems(rows);
  if (rows.length === 0) return null;
  return (
    <p className="problems-counts">
      {counts.map(({ label, count, tone }) => (
        <span key={label} className={`problems-count problems-count-${tone}`}>
          <strong>{count}</strong> {label}
        </span>
      ))}
      {hasMore && <span className="hint">of the first {rows.length}; there are more</span>}
    </p>
  );
}
