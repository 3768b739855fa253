import { MARKET_INTERFACES, type MarketInterface } from '@ssb/events';
import type { ReceivedHeartbeat } from './heartbeat.js';

export interface PollVerdict {
  /** `awaited`: there is no heartbeat that counts, or an interface has had no successful poll yet and still may. */
  readonly status: 'current' | 'awaited' | 'old';
  /** For `old`: the interfaces and how old their data is. */
  readonly detail: string;
}

/** Data is old after this number of intervals without a successful poll. */
const MAX_INTERVALS = 3;
/** A poll may last as long as a request, so short intervals have at least three request timeouts. */
const MIN_LIMIT_MS = 30_000;

/**
 * Evaluates the polls of one participant.
 * @param alive heartbeats of the participant that count as alive
 * @param absentSince time of the first heartbeat that names no successful poll of an interface, by the poller's clock
 */
export function evaluatePolls(
  alive: readonly ReceivedHeartbeat[],
  absentSince: ReadonlyMap<MarketInterface, Date>,
): PollVerdict {
  const newest = newestOf(alive);
  if (newest === undefined) return { status: 'awaited', detail: '' };
  const old: string[] = [];
  let awaited = false;
  for (const name of MARKET_INTERFACES) {
    const { intervalMs, ageMs } = newest.polls[name];
    const limitMs = Math.max(MAX_INTERVALS * intervalMs, MIN_LIMIT_MS);
    if (ageMs !== undefined) {
      if (ageMs > limitMs)
        old.push(`${name}: the last successful poll was ${seconds(ageMs)} before the heartbeat`);
      continue;
    }
    const absentMs = newest.at.getTime() - (absentSince.get(name) ?? newest.at).getTime();
    if (absentMs > limitMs) old.push(`${name}: no poll has succeeded since the poller started`);
    else awaited = true;
  }
  if (old.length > 0) return { status: 'old', detail: `${old.join('; ')}.` };
  return { status: awaited ? 'awaited' : 'current', detail: '' };
}

export function newestOf(heartbeats: readonly ReceivedHeartbeat[]): ReceivedHeartbeat | undefined {
  return heartbeats.reduce<ReceivedHeartbeat | undefined>(
    (newest, each) => (newest === undefined || each.at > newest.at ? each : newest),
    undefined,
  );
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1_000)} s`;
}
