import { Link } from '@tanstack/react-router';
import { MarketTime } from '../../ui/values.js';
import type { SinkOutcome } from './problem-messages.js';

const MARKS = { accepted: '✓', waiting: '…', failed: '✗', withheld: '–' } as const;

/** Which sinks accepted a message, and when. */
export function SinkList({ sinks }: { readonly sinks: readonly SinkOutcome[] }) {
  return (
    <ul className="sink-list">
      {sinks.map(({ eventId, sink, result, acceptedAt, text }) => (
        <li key={sink} className={`sink-list-${result}`}>
          <span aria-hidden="true">{MARKS[result]}</span>{' '}
          <Link to="/deliveries/$eventId/$sink" params={{ eventId, sink }}>
            {sink}
          </Link>{' '}
          <span className="problem-text">{text}</span>
          {acceptedAt !== undefined && (
            <>
              {' '}
              at <MarketTime at={acceptedAt} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
