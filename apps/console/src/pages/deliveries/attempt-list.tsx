import type { AttemptRow, DeliveryDetail } from '../../api/operations.js';
import { useMayAct } from '../../session/caller.js';
import { Badge } from '../../ui/badge.js';
import { Empty } from '../../ui/notes.js';
import { MarketTime } from '../../ui/values.js';

/** The attempts of a delivery with what the sink responded, the newest first. */
export function AttemptList({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { attemptLog, attempts, hasEarlierAttempts, state } = delivery;
  const mayAct = useMayAct();
  if (attemptLog.length === 0)
    return (
      <Empty>
        {attempts === 0
          ? `No attempt was made${state === 'pending' ? ' yet' : ''}.`
          : `${attempts} attempts were made. Their records are deleted after some days.`}
      </Empty>
    );
  return (
    <>
      {!mayAct && <p className="hint">Only operators see the responses of the sink.</p>}
      <ol className="attempts">
        {attemptLog.toReversed().map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </ol>
      {hasEarlierAttempts && <p className="hint">There were earlier attempts.</p>}
    </>
  );
}

function Attempt({ attempt }: { readonly attempt: AttemptRow }) {
  const { number, at, durationMs, outcome, status, response, error } = attempt;
  const isDelivered = outcome === 'delivered';
  return (
    <li className="attempt">
      <p className="attempt-head">
        <strong>{number}.</strong> <Badge tone={isDelivered ? 'good' : 'critical'}>{outcome}</Badge>
        {status !== undefined && <span>status {status}</span>}
        <MarketTime at={at} />
        <span className="hint">took {durationMs.toLocaleString('en-AU')} ms</span>
      </p>
      {error !== undefined && <p className="deliveries-text">{error}</p>}
      {response !== undefined && response !== '' && (
        <details open={!isDelivered}>
          <summary>Response</summary>
          <pre tabIndex={0} aria-label={`Response of attempt ${number}`}>
            {response}
          </pre>
        </details>
      )}
    </li>
  );
}
