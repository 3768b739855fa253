import { Link } from '@tanstack/react-router';
import type { ProblemRow } from '../../api/operations.js';
import { formatDuration } from '../../format/market-time.js';
import { Severity } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import type { Column } from '../../ui/data-table.js';
import { Absent, Age, MarketTime } from '../../ui/values.js';
import { MeasureCell } from './measure-value.js';
import { describeAbout, nameProblem, showParticipant, titleOf } from './problem-titles.js';
import { StateBadge } from './state-badge.js';

/** @param onAcknowledge absent when the person may not */
export function problemColumns(
  onAcknowledge: ((problem: ProblemRow) => void) | undefined,
): readonly Column<ProblemRow>[] {
  const columns: Column<ProblemRow>[] = [
    {
      id: 'severity',
      header: 'Severity',
      // Of an ended problem the worst one: its last severity says nothing.
      cell: ({ endedAt, severity, worstSeverity }) => (
        <Severity value={endedAt === undefined ? severity : worstSeverity} />
      ),
    },
    { id: 'problem', header: 'Problem', cell: (problem) => <ProblemName problem={problem} /> },
    {
      id: 'figure',
      header: 'Key figure',
      kind: 'number',
      cell: (problem) => <MeasureCell problem={problem} />,
    },
    { id: 'since', header: 'Since', cell: (problem) => <Since problem={problem} /> },
    { id: 'state', header: 'State', cell: (problem) => <State problem={problem} /> },
  ];
  if (onAcknowledge === undefined) return columns;
  return [
    ...columns,
    {
      id: 'action',
      header: 'Action',
      cell: (problem) =>
        problem.state === 'open' ? (
          <Button onClick={() => onAcknowledge(problem)} aria-label={`Acknowledge: ${nameProblem(problem)}`}>
            Acknowledge
          </Button>
        ) : (
          <Absent />
        ),
    },
  ];
}

function ProblemName({ problem }: { readonly problem: ProblemRow }) {
  const about = describeAbout(problem);
  return (
    <span className="problems-name problems-title">
      <Link to="/problems/$id" params={{ id: problem.id }}>
        {titleOf(problem)}
      </Link>
      <span>
        {showParticipant(problem.participant)}
        {about !== '' && <span className="hint"> · {about}</span>}
      </span>
    </span>
  );
}

function Since({ problem: { since, endedAt } }: { readonly problem: ProblemRow }) {
  return (
    <span className="problems-name">
      <MarketTime at={since} />
      <span className="hint">
        {endedAt === undefined ? (
          <>
            for <Age since={since} />
          </>
        ) : (
          `lasted ${formatDuration(Date.parse(endedAt) - Date.parse(since))}`
        )}
      </span>
    </span>
  );
}

function State({ problem }: { readonly problem: ProblemRow }) {
  const { state, acknowledgedBy, closedBy, acknowledgeComment, closeComment } = problem;
  const [by, comment] = state === 'closed' ? [closedBy, closeComment] : [acknowledgedBy, acknowledgeComment];
  const isOfPerson = state === 'closed' || state === 'acknowledged';
  return (
    <span className="problems-name">
      <StateBadge state={state} />
      {isOfPerson && (
        <span className="hint problem-text">
          by {by}
          {comment !== undefined && `: ${comment}`}
        </span>
      )}
    </span>
  );
}
