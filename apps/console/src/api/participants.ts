import { useQuery } from '@tanstack/react-query';
import { useCaller } from '../session/caller.js';
import { get } from './api-client.js';
import { readWholeListing } from './whole-listing.js';

const REFRESH_MS = 600_000;

/** The codes of the participants that the person sees. */
export function useParticipants(): readonly string[] {
  const { allParticipants, participants = [] } = useCaller();
  const { data = [] } = useQuery({
    queryKey: ['participants'],
    queryFn: ({ signal }) => readParticipants(signal),
    enabled: allParticipants,
    staleTime: REFRESH_MS,
    refetchInterval: REFRESH_MS,
  });
  return allParticipants ? data : participants;
}

/** The API has no listing of participants: these are polled, have sent heartbeats, or have a position. */
async function readParticipants(signal: AbortSignal): Promise<readonly string[]> {
  const [{ polling, archive }, { rows }] = await Promise.all([
    get('/v1/status', { signal }),
    readWholeListing('/v1/positions', signal, { points: 2 }),
  ]);
  const found = [...polling, ...(archive?.heartbeats ?? []), ...rows];
  return [...new Set(found.map(({ participant }) => participant))].toSorted();
}
