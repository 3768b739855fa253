import { useCaller } from '../session/caller.js';
import { useWholeListing } from './whole-listing.js';

const REFRESH_MS = 600_000;

/** The codes of the participants that the person sees; those with a position where the person sees all. */
export function useParticipants(): readonly string[] {
  const { allParticipants, participants = [] } = useCaller();
  const { data } = useWholeListing('/v1/positions', {
    query: { points: 2 },
    enabled: allParticipants,
    refetchInterval: REFRESH_MS,
  });
  return allParticipants ? (data?.rows.map(({ participant }) => participant) ?? []) : participants;
}
