import { Link } from '@tanstack/react-router';
import type { CalendarRow } from '../../api/operations.js';
import { describeDaysLeft, describeDistance } from '../../format/days-left.js';
import { describeRunState, findState } from '../../format/run-state.js';
import { countOf } from '../../format/count.js';
import { Badge } from '../../ui/badge.js';
import { Empty, Note } from '../../ui/notes.js';
import { TableFrame } from '../../ui/table-frame.js';
import { Absent, Amount, Day } from '../../ui/values.js';
import { isBeforeRange, type CalendarGrid, type CalendarPeriod } from './calendar-grid.js';
import type { CalendarRange } from './calendar-range.js';
import { findAmount, findNextDate, type RunAmount } from './run-state.js';

interface CalendarTableProps {
  readonly grid: CalendarGrid;
  readonly range: CalendarRange;
  readonly today: string;
  /** How many runs were read when there are more. */
  readonly cutAfter: number | undefined;
  readonly showsParticipant: boolean;
}

/** A row for each period and a column for each designation; on a narrow screen a list of periods. */
export function CalendarTable({ grid, range, today, cutAfter, showsParticipant }: CalendarTableProps) {
  const { designations, periods } = grid;
  if (periods.length === 0)
    return <Empty>{range.market} has no runs in these weeks. Choose more weeks, or earlier ones.</Empty>;
  const caption = `Settlement runs of ${range.market} by period and designation`;
  return (
    <>
      <TableFrame label={caption}>
        <table className="calendar-grid" role="table">
          <caption className="visually-hidden">{caption}</caption>
          <thead role="rowgroup">
            <tr role="row">
              <th scope="col" role="columnheader">
                Period
              </th>
              {designations.map((each) => (
                <th key={each} scope="col" role="columnheader">
                  {each}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {periods.map((period) => (
              <tr key={period.key} role="row">
                <th scope="row" role="rowheader">
                  <PeriodName period={period} showsParticipant={showsParticipant} />
                </th>
                {designations.map((each) => (
                  <td key={each} role="cell" className={period.runs.has(each) ? '' : 'calendar-none'}>
                    <span className="calendar-designation">{each}</span>
                    <Cell run={period.runs.get(each)} today={today}>
                      {isBeforeRange(period, each, designations) ? (
                        <span className="hint">earlier</span>
                      ) : (
                        <Absent />
                      )}
                    </Cell>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      <p className="hint">
        Amounts in AUD. Days in market time.{' '}
        {periods.some((period) => designations.some((each) => isBeforeRange(period, each, designations))) &&
          'earlier: the run is before the weeks shown.'}
      </p>
      {cutAfter !== undefined && (
        <Note kind="warning">
          Only {cutAfter.toLocaleString('en-AU')} runs were read, and the latest are missing. Choose fewer
          weeks or one participant.
        </Note>
      )}
    </>
  );
}

function PeriodName({
  period: { name, from, to, participant },
  showsParticipant,
}: {
  readonly period: CalendarPeriod;
  readonly showsParticipant: boolean;
}) {
  return (
    <>
      <span className="calendar-period">
        <Day value={from} />
      </span>
      <span className="hint">
        {to !== undefined && (
          <>
            to <Day value={to} />
          </>
        )}
        {name !== undefined && <> · {name}</>}
      </span>
      {showsParticipant && <span className="calendar-participant">{participant}</span>}
    </>
  );
}

interface CellProps {
  readonly run: CalendarRow | undefined;
  readonly today: string;
  /** Shown without a run. */
  readonly children: React.ReactNode;
}

function Cell({ run, today, children }: CellProps) {
  if (run === undefined) return children;
  const state = findState(run, today);
  const next = findNextDate(run, today);
  const amount = findAmount(run);
  const { label, tone } = describeRunState(run, today);
  const isDisputable = run.disagreeUntil !== undefined && run.disagreeUntil >= today;
  return (
    <Link to="/statements/$id" params={{ id: run.id }} className={`calendar-run calendar-${state}`}>
      <span className="calendar-state">
        <Badge tone={tone}>{label}</Badge>
        {run.revisions > 0 && state !== 'revised' && (
          <span className="hint">{countOf(run.revisions, 'revision')}</span>
        )}
        {run.discrepancies > 0 && <Badge tone="warning">amounts differ</Badge>}
      </span>
      {amount && (
        <span className="calendar-amount">
          <span className="hint">{describeAmount(amount)}</span> <Amount value={amount.amount} />
        </span>
      )}
      {next && next.what !== 'Dispute until' && (
        <span className="calendar-next hint">
          {next.what} <Day value={next.day} />, {describeDistance(next.day, today)}
        </span>
      )}
      {isDisputable && (
        <span className="calendar-next hint">
          Dispute until <Day value={run.disagreeUntil} />, {describeDaysLeft(run.disagreeUntil ?? '', today)}
        </span>
      )}
    </Link>
  );
}

function describeAmount({ direction, of }: RunAmount): string {
  if (direction === undefined) return of === 'invoice' ? 'invoice' : 'statement net';
  return of === 'invoice' ? direction : `net, ${direction}`;
}
