import type { MarketInterface } from '@ssb/events';
import { ReportingUnavailableError, TokenUnavailableError } from '@ssb/market';

/**
 * A longer `Retry-After` is treated as a mistake, such as a wrong clock, because nothing must stay unwatched for days. The prudential interface
 * has the margin checks.
 */
export const MAX_RETRY_AFTER_MS: Readonly<Record<MarketInterface, number>> = {
  prudential: 5 * 60_000,
  settlement: 3_600_000,
};

/** A shorter pause is usual with a limit per minute. */
const MIN_REPORTED_MS = 60_000;

/** An operator that requests a pause. */
export interface Throttling {
  /** Whether it is a fault by itself; a short pause is one when the next poll is throttled too. */
  readonly isLong: boolean;
  /** One sentence. */
  readonly detail: string;
}

/**
 * What the failures of a poll say about the operator's limits: a 429, or another status with a long `Retry-After`. Undefined without one.
 * @param pauseMs until the next request
 */
export function findThrottling(
  name: MarketInterface,
  failures: readonly unknown[],
  pauseMs: number,
): Throttling | undefined {
  const found = failures.flatMap((failure) => {
    if (!(failure instanceof ReportingUnavailableError || failure instanceof TokenUnavailableError))
      return [];
    const { status, retryAfterMs = 0 } = failure;
    if (status !== 429 && !(status !== undefined && retryAfterMs > MIN_REPORTED_MS)) return [];
    const server = failure instanceof TokenUnavailableError ? 'the token service' : 'the operator';
    return [{ server, status, retryAfterMs }];
  });
  const [longest] = found.toSorted((a, b) => b.retryAfterMs - a.retryAfterMs);
  if (longest === undefined) return undefined;
  const { server, status, retryAfterMs } = longest;
  const requested =
    retryAfterMs === 0 ? 'without Retry-After' : `with Retry-After ${toSeconds(retryAfterMs)} s`;
  const bound =
    retryAfterMs > MAX_RETRY_AFTER_MS[name]
      ? `, which is bounded to ${toSeconds(MAX_RETRY_AFTER_MS[name])} s`
      : '';
  return {
    isLong: retryAfterMs > MIN_REPORTED_MS,
    detail: `${server} responds ${status} ${requested}${bound}; the next poll is in ${toSeconds(pauseMs)} s or at its usual time`,
  };
}

function toSeconds(ms: number): number {
  return Math.ceil(ms / 1_000);
}
