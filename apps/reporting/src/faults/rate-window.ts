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
 * May one more request pass now? `past` are the moments (epoch milliseconds, ascending) of those that passed; the verdict holds those that
 * still count, at most `perFiveMinutes` of them. A refused request is not counted.
 */
export function judgeRate(limits: RateLimits, past: readonly number[], now: number): RateVerdict {
  const recent = past.filter((moment) => moment > now - FIVE_MINUTES_MS);
  const waitMs = Math.max(
    waitFor(recent, limits.perMinute, MINUTE_MS, now),
    waitFor(recent, limits.perFiveMinutes, FIVE_MINUTES_MS, now),
  );
  return waitMs > 0 ? { allowed: false, past: recent, waitMs } : { allowed: true, past: [...recent, now] };
}

/** Until the window holds one less than it may: when the oldest of the last `most` requests has left it. */
function waitFor(past: readonly number[], most: number, windowMs: number, now: number): number {
  const oldest = past.at(-most);
  return oldest === undefined ? 0 : Math.max(0, oldest + windowMs - now);
}
