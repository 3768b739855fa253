import { useRead } from '../../../api/queries.js';
import { Badge } from '../../../ui/badge.js';
import { RecentTime } from '../recent-time.js';
import { whoWasTold, type Told } from './who-was-told.js';

/** Which sinks have accepted an alert of a problem, and which have not. */
export function ToldLine({ problemId }: { readonly problemId: string }) {
  const { data, error } = useRead('/v1/problems/{id}', { parts: { id: problemId } });
  if (data === undefined)
    return (
      <p className="overview-facts">
        {error ? <Badge tone="warning">who was told could not be read</Badge> : <span>told: …</span>}
      </p>
    );
  const { told, waiting } = whoWasTold(data.deliveries);
  return (
    <p className="overview-facts">
      {told.length === 0 ? (
        <Badge tone="warning">
          {waiting.length === 0 ? 'told nobody: no sink gets it' : 'told nobody yet'}
        </Badge>
      ) : (
        <Accepted told={told} />
      )}
      {waiting.map(({ sink, why, nextAttemptAt }) => (
        <span key={sink}>
          <strong>{sink}</strong>: {why}
          {nextAttemptAt !== undefined && (
            <>
              , next attempt at <RecentTime at={nextAttemptAt} />
            </>
          )}
        </span>
      ))}
    </p>
  );
}

function Accepted({ told }: Pick<Told, 'told'>) {
  return (
    <>
      {told.map(({ sink, at }) => (
        <span key={sink}>
          told <strong>{sink}</strong>, accepted at <RecentTime at={at} />
        </span>
      ))}
    </>
  );
}
