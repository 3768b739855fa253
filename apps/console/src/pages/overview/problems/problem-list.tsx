import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ProblemRow } from '../../../api/operations.js';
import { useMayAct } from '../../../session/caller.js';
import { ActionResult, type SentRequest } from '../../../ui/action-result.js';
import { Badge, Severity } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Empty } from '../../../ui/notes.js';
import { Age } from '../../../ui/values.js';
import { AcknowledgeForm } from '../../problems/acknowledge-form.js';
import { FigureValue } from '../../problems/measure-value.js';
import { keyFigures } from '../../problems/problem-figures.js';
import { describeAbout, nameProblem, showParticipant, titleOf } from '../../problems/problem-titles.js';
import { RecentTime } from '../recent-time.js';
import { NotifiedSinks } from './notified-sinks.js';

const MAX_SHOWN = 8;

/** The present problems, the worst first, as the API sorts them. */
export function ProblemList({ problems }: { readonly problems: readonly ProblemRow[] }) {
  const [acknowledging, setAcknowledging] = useState<ProblemRow>();
  const [sent, setSent] = useState<SentRequest>();
  const mayAct = useMayAct();
  return (
    <>
      <ActionResult sent={sent ? [sent] : []} onDismiss={() => setSent(undefined)} />
      {problems.length === 0 && <Empty>No problem is open.</Empty>}
      <ul className="overview-list">
        {problems.slice(0, MAX_SHOWN).map((problem) => (
          <li key={problem.id}>
            <Problem
              problem={problem}
              onAcknowledge={mayAct && problem.state === 'open' ? () => setAcknowledging(problem) : undefined}
            />
          </li>
        ))}
      </ul>
      {acknowledging && (
        <AcknowledgeForm
          problem={acknowledging}
          onSent={(request) => {
            setSent(request);
            setAcknowledging(undefined);
          }}
          onClose={() => setAcknowledging(undefined)}
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
  const { id, severity, since, state, acknowledgedBy, participant } = problem;
  const about = describeAbout(problem, false);
  return (
    <>
      <div className="overview-line">
        <p>
          <Severity value={severity} />{' '}
          <Link to="/problems/$id" params={{ id }} className="overview-title">
            {titleOf(problem)}
          </Link>{' '}
          <span className="overview-subject">
            {showParticipant(participant)}
            {about !== '' && ` · ${about}`}
          </span>
        </p>
        {onAcknowledge && (
          <Button onClick={onAcknowledge} aria-label={`Acknowledge: ${nameProblem(problem)}`}>
            Acknowledge
          </Button>
        )}
      </div>
      <p className="overview-facts">
        {keyFigures(problem).map(({ name, label, form, now }) => (
          <span key={name}>
            {label.toLowerCase()} <FigureValue form={form} value={now} />
          </span>
        ))}
        <span>
          since <RecentTime at={since} />, for <Age since={since} />
        </span>
        {state === 'acknowledged' && (
          <Badge tone="info">acknowledged{acknowledgedBy !== undefined && ` by ${acknowledgedBy}`}</Badge>
        )}
      </p>
      <NotifiedSinks problem={problem} />
    </>
  );
}
