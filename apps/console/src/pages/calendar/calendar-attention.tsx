import { Link } from '@tanstack/react-router';
import { useWholeListing } from '../../api/whole-listing.js';
import type { CalendarRow } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { describeDaysLeft, describeDistance } from '../../format/days-left.js';
import { addDays, daysBetween } from '../../format/market-time.js';
import { nameRun } from '../../format/run-name.js';
import { Figure, Figures } from '../../ui/figure.js';
import { Content } from '../../ui/page.js';
import { Day } from '../../ui/values.js';
import { summarise, type LastDay } from './calendar-summary.js';
import { findOverdue } from './run-state.js';

/** Before every run. What is overdue stays so until it is published. */
const FIRST_DAY = '1970-01-01';
/** Longer than a statement can be disputed. */
const DISPUTE_DAYS = 60;
/** Below this a last day is marked. */
const SOON_DAYS = 7;
const MAX_LISTED = 40;

interface CalendarAttentionProps {
  readonly of: ReturnType<typeof useAttention>;
  readonly today: string;
}

/** Reads what is overdue and what can still be disputed, of all markets and weeks. */
export function useAttention(query: { readonly participant?: readonly string[] }, today: string) {
  const overdue = useWholeListing('/v1/settlement-calendar', {
    query: { ...query, status: ['overdue'], since: FIRST_DAY },
  });
  const published = useWholeListing('/v1/settlement-calendar', {
    query: { ...query, by: 'published', since: addDays(today, -DISPUTE_DAYS) },
  });
  return { overdue, published };
}

/** What is overdue and what can still be disputed. */
export function CalendarAttention({ of: { overdue, published }, today }: CalendarAttentionProps) {
  return (
    <Figures>
      <Content of={overdue} what="what is overdue">
        {({ rows, isCut }) => (
          <Overdue runs={summarise(rows, [], today).overdue} isCut={isCut} today={today} />
        )}
      </Content>
      <Content of={published} what="what can be disputed">
        {({ rows, isCut }) => (
          <Disputes
            lastDays={summarise([], rows, today).lastDays}
            cutAfter={isCut ? rows.length : undefined}
            today={today}
          />
        )}
      </Content>
    </Figures>
  );
}

interface OverdueProps {
  readonly runs: readonly CalendarRow[];
  readonly isCut: boolean;
  readonly today: string;
}

function Overdue({ runs, isCut, today }: OverdueProps) {
  const [oldest] = runs;
  const since = oldest && findOverdue(oldest);
  if (oldest === undefined)
    return (
      <Figure label="Statements and invoices" tone="good" value="Nothing overdue">
        <p className="hint">Everything that was due has arrived.</p>
      </Figure>
    );
  const count = `${isCut ? 'More than ' : ''}${runs.length.toLocaleString('en-AU')} overdue`;
  return (
    <Figure label="Statements and invoices" tone="warning" value={count}>
      {since && (
        <p className="hint">
          The oldest: {since.what.toLowerCase()} <Day value={since.day} />,{' '}
          {describeDistance(since.day, today)}.
        </p>
      )}
      <RunList label={`List ${countOf(runs.length, 'overdue run')}`} runs={runs} today={today} />
    </Figure>
  );
}

interface DisputesProps {
  readonly lastDays: readonly LastDay[];
  /** How many statements were read when there are more. */
  readonly cutAfter: number | undefined;
  readonly today: string;
}

function Disputes({ lastDays, cutAfter, today }: DisputesProps) {
  const [first, ...later] = lastDays;
  const cut = cutAfter !== undefined && (
    <p className="hint">
      Only {cutAfter.toLocaleString('en-AU')} statements were read, and the latest are missing. Choose one
      participant.
    </p>
  );
  if (first === undefined)
    return (
      <Figure label="Last day to dispute" value={cut ? 'Not known' : 'No statement can be disputed'}>
        {cut || <p className="hint">The last day has passed for every published statement.</p>}
      </Figure>
    );
  const isSoon = daysBetween(today, first.day) < SOON_DAYS;
  const further = later.reduce((sum, { runs }) => sum + runs.length, 0);
  return (
    <Figure
      label="Last day to dispute"
      tone={isSoon ? 'warning' : 'muted'}
      value={
        <>
          {countOf(first.runs.length, 'statement')}: last day to dispute is <Day value={first.day} />
        </>
      }
    >
      <p className="hint">
        {describeDaysLeft(first.day, today)}
        {further > 0 && `; ${countOf(further, 'statement')} can be disputed longer`}.
      </p>
      {cut}
      <RunList
        label={`List ${countOf(first.runs.length + further, 'statement')} that can be disputed`}
        runs={lastDays.flatMap(({ runs }) => runs)}
        today={today}
        showsDispute
      />
    </Figure>
  );
}

interface RunListProps {
  readonly label: string;
  readonly runs: readonly CalendarRow[];
  readonly today: string;
  readonly showsDispute?: boolean;
}

function RunList({ label, runs, today, showsDispute = false }: RunListProps) {
  return (
    <details>
      <summary>{label}</summary>
      <ul className="calendar-runs">
        {runs.slice(0, MAX_LISTED).map((run) => (
          <li key={run.id}>
            <Link to="/statements/$id" params={{ id: run.id }}>
              {nameRun(run)}
            </Link>{' '}
            <span className="hint">
              {[run.period, run.participant].filter(Boolean).join(', ')}
              {showsDispute && run.disagreeUntil !== undefined && (
                <>
                  {' '}
                  until <Day value={run.disagreeUntil} />, {describeDaysLeft(run.disagreeUntil, today)}
                </>
              )}
            </span>
          </li>
        ))}
        {runs.length > MAX_LISTED && <li className="hint">and {runs.length - MAX_LISTED} more</li>}
      </ul>
    </details>
  );
}
