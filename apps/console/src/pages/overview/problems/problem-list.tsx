import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAction } from '../../../api/actions.js';
import type { ProblemRow, RequestRow } from '../../../api/operations.js';
import { useMayAct } from '../../../session/caller.js';
import { ActionForm } from '../../../ui/action-form.js';
import { Badge, Severity } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Empty, Note } from '../../../ui/notes.js';
import { Age, Amount, Day, MarketTime } from '../../../ui/values.js';
import { figuresOf, subjectOf, titleOf, type Figure } from './problem-words.js';
import { RecentTime } from '../recent-time.js';
import { ToldLine } from './told-line.js';

const MAX_SHOWN = 8;

/** The open problems, the worst first, as the API sorts them. */
export function ProblemList({ problems }: { readonly problems: readonly ProblemRow[] }) {
  const [chosen, setChosen] = useState<ProblemRow>();
  const [result, setResult] = useState<RequestRow>();
  const mayAct = useMayAct();
  if (problems.length === 0) return <Empty>No problem is open.</Empty>;
  return (
    <>
      {result && <Result request={result} />}
      <ul className="overview-list">
        {problems.slice(0, MAX_SHOWN).map((problem) => (
          <li key={problem.id}>
            <Problem
              problem={problem}
              onAcknowledge={
                mayAct && problem.state === 'open'
                  ? () => {
                      setResult(undefined);
                      setChosen(problem);
                    }
                  : undefined
              }
            />
          </li>
        ))}
      </ul>
      {chosen && (
        <AcknowledgeForm
          problem={chosen}
          onDone={(request) => {
            setResult(request);
            setChosen(undefined);
          }}
          onClose={() => setChosen(undefined)}
        />
      )}
    </>
  );
}

interface ProblemProps {
  readonly problem: ProblemRow;
  /** Absent when the person cannot acknowledge it. */
  readonly onAcknowledge: (() => void) | undefined;
}

function Problem({ problem, onAcknowledge }: ProblemProps) {
  const { id, severity, since, state, acknowledgedBy } = problem;
  return (
    <>
      <div className="overview-line">
        <p>
          <Severity value={severity} />{' '}
          <Link to="/problems/$id" params={{ id }} className="overview-title">
            {titleOf(problem)}
          </Link>{' '}
          <span className="overview-subject">{subjectOf(problem)}</span>
        </p>
        {onAcknowledge && (
          <Button
            onClick={onAcknowledge}
            aria-label={`Acknowledge: ${titleOf(problem)} ${subjectOf(problem)}`}
          >
            Acknowledge
          </Button>
        )}
      </div>
      <p className="overview-facts">
        {figuresOf(problem).map((figure) => (
          <span key={figure.label}>
            {figure.label} <FigureValue figure={figure} />
          </span>
        ))}
        <span>
          since <RecentTime at={since} />, for <Age since={since} />
        </span>
        {state === 'acknowledged' && (
          <Badge tone="info">acknowledged{acknowledgedBy !== undefined && ` by ${acknowledgedBy}`}</Badge>
        )}
      </p>
      <ToldLine problemId={id} />
    </>
  );
}

function FigureValue({ figure: { kind, value } }: { readonly figure: Figure }) {
  switch (kind) {
    case 'amount':
      return <Amount value={value} />;
    case 'day':
      return <Day value={value} />;
    case 'time':
      return <MarketTime at={value} />;
    case 'text':
      return <strong>{value}</strong>;
  }
}

interface AcknowledgeFormProps {
  readonly problem: ProblemRow;
  readonly onDone: (request: RequestRow) => void;
  readonly onClose: () => void;
}

function AcknowledgeForm({ problem, onDone, onClose }: AcknowledgeFormProps) {
  const action = useAction('/v1/problems/{id}/acknowledge');
  return (
    <ActionForm
      title="Acknowledge the problem"
      explanation={
        <>
          {titleOf(problem)}, {subjectOf(problem)}. Reminders and escalations end until it becomes worse.
        </>
      }
      submit="Acknowledge"
      comment="optional"
      error={action.error}
      isPending={action.isPending}
      onSubmit={(comment) =>
        action.mutate(
          { parts: { id: problem.id }, body: comment === undefined ? {} : { comment } },
          { onSuccess: onDone },
        )
      }
      onClose={onClose}
    />
  );
}

function Result({ request: { state, result } }: { readonly request: RequestRow }) {
  if (state === 'done') return <Note kind="info">The problem is acknowledged.</Note>;
  if (state === 'waiting' || state === 'running')
    return <Note kind="warning">The request is stored, and will be carried out later.</Note>;
  const reason = result?.['reason'];
  return (
    <Note kind="critical">
      The request was {state}. {typeof reason === 'string' && reason}
    </Note>
  );
}
