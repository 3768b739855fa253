import type { ReactNode } from 'react';
import type { ProblemDetail } from '../../api/operations.js';
import { formatDuration } from '../../format/market-time.js';
import { Severity } from '../../ui/badge.js';
import { Amount, Age, MarketTime } from '../../ui/values.js';
import { measureOf } from './problem-figures.js';
import { StateBadge } from './state-badge.js';
import { describeAbout } from './problem-titles.js';

interface ProblemHeroProps {
  readonly problem: ProblemDetail;
  /** The actions. */
  readonly children: ReactNode;
}

/** What matters most: the decisive figure, the state, and who handles it. */
export function ProblemHero({ problem, children }: ProblemHeroProps) {
  const { endedAt, severity, worstSeverity, state, since } = problem;
  const about = describeAbout(problem);
  return (
    <section
      className={`section problem-hero problem-hero-${endedAt === undefined ? severity : 'ended'}`}
      aria-label="State"
    >
      <div className="problem-hero-facts">
        <p className="problem-hero-badges">
          <StateBadge state={state} /> <Severity value={endedAt === undefined ? severity : worstSeverity} />
          {endedAt !== undefined && <span className="hint">at worst</span>}
          {about !== '' && <span>{about}</span>}
        </p>
        <Decisive problem={problem} />
        <p>
          Since <MarketTime at={since} />{' '}
          {endedAt === undefined ? (
            <>
              (for <Age since={since} />)
            </>
          ) : (
            <>
              until <MarketTime at={endedAt} /> ({formatDuration(Date.parse(endedAt) - Date.parse(since))})
            </>
          )}
        </p>
        <Handling problem={problem} />
      </div>
      {children}
    </section>
  );
}

/** The figure that decides how bad it is; of a fault, what happened. */
function Decisive({ problem }: { readonly problem: ProblemDetail }) {
  const { kind, figures, endedAt } = problem;
  const measure = measureOf(problem);
  const { detail } = figures;
  if (typeof detail === 'string' && (kind === 'bridge-fault' || kind === 'operator-unreachable'))
    return <p className="problem-hero-detail">{detail}</p>;
  if (measure === undefined) return null;
  const { label, form, now, worst } = measure;
  const show = (value: string | undefined): ReactNode =>
    form === 'amount' ? (
      <>
        <Amount value={value} /> <span className="problem-hero-unit">AUD</span>
      </>
    ) : (
      value
    );
  return (
    <div className="problem-hero-figures">
      {now !== undefined && (
        <p>
          <span className="hint">
            {label}, {endedAt === undefined ? 'now' : 'at its end'}
          </span>
          <span className="problem-hero-figure">{show(now)}</span>
        </p>
      )}
      {worst !== undefined && (
        <p>
          <span className="hint">Worst announced</span>
          <span className={now === undefined ? 'problem-hero-figure' : 'problem-hero-worst'}>
            {show(worst)}
          </span>
        </p>
      )}
    </div>
  );
}

/** Who knows of it, and what hides it. */
function Handling({ problem }: { readonly problem: ProblemDetail }) {
  const { state, acknowledgedBy, acknowledgedAt, acknowledgeComment, closedBy, closeComment, silences } =
    problem;
  const active = silences.filter((silence) => silence.state === 'active');
  return (
    <div className="problem-hero-people">
      {state === 'open' && <p>Nobody has acknowledged it.</p>}
      {acknowledgedBy !== undefined && (
        <p className="problem-text">
          <strong>{acknowledgedBy}</strong> acknowledged it at <MarketTime at={acknowledgedAt} />
          {acknowledgeComment === undefined ? '.' : `: ${acknowledgeComment}`}
        </p>
      )}
      {state === 'resolved' && <p>An event ended it.</p>}
      {closedBy !== undefined && (
        <p className="problem-text">
          <strong>{closedBy}</strong> closed it{closeComment === undefined ? '.' : `: ${closeComment}`}
        </p>
      )}
      {active.map(({ id, author, endsAt, comment }) => (
        <p key={id} className="problem-text">
          <strong>Silenced</strong> by {author} until <MarketTime at={endsAt} />: {comment}
        </p>
      ))}
    </div>
  );
}
