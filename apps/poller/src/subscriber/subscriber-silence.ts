/** The last known health of the subscriber. */
export interface SubscriberObservation {
  readonly watchedSince: Date;
  /** When it responded with its heartbeats. */
  readonly respondedAt: Date | undefined;
  /** Why the latest request failed; undefined when it succeeded. */
  readonly failure: string | undefined;
  /** Time of the newest heartbeat that it has verified, by the clock of the poller that created it. */
  readonly newestHeartbeatAt: Date | undefined;
}

export interface SilenceLimits {
  /** Longest time without a response. */
  readonly responseMs: number;
  /** Longest age of the newest verified heartbeat. */
  readonly heartbeatMs: number;
}

/** Fewer failed requests in a row are a restart of the subscriber. */
const MIN_FAILED_REQUESTS = 3;
/** A restart takes less, however often the requests are. */
const MIN_SILENCE_MS = 10_000;
/** Heartbeats that may be missing. */
const MAX_MISSED_HEARTBEATS = 3;
const MIN_HEARTBEAT_AGE_MS = 30_000;

/** @param timing of the requests and of the heartbeats, milliseconds */
export function silenceLimits(timing: {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly heartbeatIntervalMs: number;
}): SilenceLimits {
  const { intervalMs, timeoutMs, heartbeatIntervalMs } = timing;
  return {
    responseMs: Math.max((MIN_FAILED_REQUESTS - 1) * (intervalMs + timeoutMs), MIN_SILENCE_MS),
    heartbeatMs: Math.max(MAX_MISSED_HEARTBEATS * heartbeatIntervalMs, MIN_HEARTBEAT_AGE_MS),
  };
}

/** `awaited`: it was not watched long enough to decide. */
export type SubscriberVerdict =
  | { readonly status: 'alive' | 'awaited' }
  | { readonly status: 'silent'; readonly detail: string };

export function evaluateSubscriber(
  { watchedSince, respondedAt, failure, newestHeartbeatAt }: SubscriberObservation,
  { responseMs, heartbeatMs }: SilenceLimits,
  now: Date,
): SubscriberVerdict {
  const ageOf = (at: Date): number => now.getTime() - at.getTime();
  if (failure !== undefined) {
    const since = respondedAt ?? watchedSince;
    if (ageOf(since) <= responseMs) return { status: 'awaited' };
    const detail = `The subscriber has not responded since ${since.toISOString()}: ${failure}.`;
    return { status: 'silent', detail };
  }
  if (newestHeartbeatAt !== undefined && ageOf(newestHeartbeatAt) <= heartbeatMs) return { status: 'alive' };
  if (ageOf(watchedSince) <= heartbeatMs) return { status: 'awaited' };
  const newest =
    newestHeartbeatAt === undefined
      ? 'has verified no heartbeat yet'
      : `has verified no heartbeat since that of ${newestHeartbeatAt.toISOString()}`;
  return { status: 'silent', detail: `The subscriber responds, and ${newest}.` };
}
