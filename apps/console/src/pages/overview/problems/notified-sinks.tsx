import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { get, type ApiError } from '../../../api/api-client.js';
import type { ProblemRow } from '../../../api/operations.js';
import { REFRESH_MS } from '../../../api/queries.js';
import { Badge } from '../../../ui/badge.js';
import { RecentTime } from '../recent-time.js';
import { findNotified, type Notified } from './find-notified.js';

/** Read again after this time, when no event has changed the problem and no sink is waited for. */
const LONG_REFRESH_MS = 60_000;

/** Which sinks have accepted an alert of a problem, and which have not. */
export function NotifiedSinks({ problem: { id, changedAt } }: { readonly problem: ProblemRow }) {
  const { data, error } = useQuery<Notified, ApiError>({
    // Not the key of the path: any event marks that as out of date, also one about another problem.
    queryKey: ['notified sinks', id, changedAt],
    queryFn: async ({ signal }) =>
      findNotified((await get('/v1/problems/{id}', { parts: { id }, signal })).deliveries),
    refetchInterval: ({ state }) => (isSettled(state.data) ? LONG_REFRESH_MS : REFRESH_MS),
    placeholderData: keepPreviousData,
  });
  if (data === undefined)
    return (
      <p className="overview-facts">
        {error ? <Badge tone="warning">notified sinks could not be read</Badge> : <span>notified: …</span>}
      </p>
    );
  const { notified, waiting } = data;
  return (
    <p className="overview-facts">
      {notified.length === 0 && (
        <Badge tone="warning">
          {waiting.length === 0 ? 'nobody notified: no rule sends it to a sink' : 'nobody notified yet'}
        </Badge>
      )}
      {notified.map(({ sink, at }) => (
        <span key={sink}>
          notified <strong>{sink}</strong>, accepted at <RecentTime at={at} />
        </span>
      ))}
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

const isSettled = (data: Notified | undefined): boolean =>
  data !== undefined && data.notified.length > 0 && data.waiting.length === 0;
