/** How many requests may fall within any window of each length. */
export interface RateLimits {
  readonly perMinute: number;
  readonly perFiveMinutes: number;
}

/** The market's public rule: 50 calls every minute, 200 in five minutes. */
export const MARKET_RATE_LIMITS: RateLimits = { perMinute: 50, perFiveMinutes: 200 };

export type RateVerdict =
  | { readonly allowed: true; readonly past: readonly number[] }
  | { readonly allowed: false; readonly past: readonly number[]; readonly waitMs: number };

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;

/**
 * Evaluates one more request. A refused request is not counted.
 * @param past epoch milliseconds of the requests that passed, ascending; the verdict holds those that still count
 */
export function evaluateRateLimit(limits: RateLimits, past: readonly number[], now: number): RateVerdict {
  const recent = past.filter((time) => time > now - FIVE_MINUTES_MS);
  const waitMs = Math.max(
    remainingWaitMs(recent, limits.perMinute, MINUTE_MS, now),
    remainingWaitMs(recent, limits.perFiveMinutes, FIVE_MINUTES_MS, now),
  );
  return waitMs > 0 ? { allowed: false, past: recent, waitMs } : { allowed: true, past: [...recent, now] };
}

/** Time until the oldest of the last `max` requests has left the window. */
function remainingWaitMs(past: readonly number[], max: number, windowMs: number, now: number): number {
  const oldest = past.at(-max);
  return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - now);
}
