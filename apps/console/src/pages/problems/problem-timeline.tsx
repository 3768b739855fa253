import { Link } from '@tanstack/react-router';
import type { ProblemDetail } from '../../api/operations.js';
import { countOf } from '../../format/count.js';
import { Empty } from '../../ui/notes.js';
import { MarketTime } from '../../ui/values.js';
import { FigureValue } from './measure-value.js';
import { foldRepeats, toHistory, type HistoryEntry } from './problem-history.js';
import { measureOf } from './problem-figures.js';
import { SinkList } from './sink-list.js';
import './timeline.css';

interface ProblemTimelineProps {
  readonly problem: ProblemDetail;
  /** When the problem was read, epoch milliseconds. Silences that begin or end later come with the next reading. */
  readonly readAt: number;
}

/** What happened to a problem on a line, oldest first. */
export function ProblemTimeline({ problem, readAt }: ProblemTimelineProps) {
  const groups = foldRepeats(toHistory(problem, readAt));
  const form = measureOf(problem)?.form === 'amount' ? 'amount' : 'text';
  return (
    <>
      {problem.moreChanges && <p className="hint">Earlier changes are left out.</p>}
      {problem.moreDeliveries && <p className="hint">Earlier messages are left out.</p>}
      <ol className="timeline">
        {groups.map(({ entries: [first, ...others], folded }) => (
          <Group key={first?.key} first={first} others={others} folded={folded} form={form} />
        ))}
      </ol>
      {problem.deliveries.length === 0 && (
        <Empty>No sink was notified: no rule sends this problem to a sink.</Empty>
      )}
    </>
  );
}

interface GroupProps {
  readonly first: HistoryEntry | undefined;
  readonly others: readonly HistoryEntry[];
  readonly folded: readonly HistoryEntry[];
  readonly form: 'amount' | 'text';
}

function Group({ first, others, folded, form }: GroupProps) {
  return (
    <>
      {first && <Entry entry={first} form={form} />}
      {folded.length > 0 && (
        <li className="timeline-fold">
          <details>
            <summary>{countOf(folded.length, 'more entry', 'more entries')} like this</summary>
            <ol className="timeline">
              {folded.map((entry) => (
                <Entry key={entry.key} entry={entry} form={form} />
              ))}
            </ol>
          </details>
        </li>
      )}
      {others.map((entry) => (
        <Entry key={entry.key} entry={entry} form={form} />
      ))}
    </>
  );
}

function Entry({ entry, form }: { readonly entry: HistoryEntry; readonly form: GroupProps['form'] }) {
  const { at, title, tone, comment, measure, eventId, sinks } = entry;
  return (
    <li className={`timeline-entry timeline-${tone}`}>
      <p className="timeline-at">
        <MarketTime at={at} />
      </p>
      <div className="timeline-what">
        <p className="timeline-head">
          <strong>{title}</strong>
          {measure !== undefined && <FigureValue form={form} value={measure} />}
          {eventId !== undefined && sinks === undefined && (
            <Link to="/events/$id" params={{ id: eventId }} aria-label={`Event: ${title}`}>
              Event
            </Link>
          )}
        </p>
        {comment !== undefined && <p className="problem-text">“{comment}”</p>}
        {sinks && <SinkList sinks={sinks} />}
      </div>
    </li>
  );
}
