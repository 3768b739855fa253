import { backoffDelayMs } from '@ssb/resilience';
import { type FailureKind, failureKind } from './failure-kind.js';

/** The one table: what is worth another try, and after how long where the server does not say (milliseconds before the first repeat). */
const TABLE: Readonly<Record<FailureKind, { readonly firstPauseMs: number } | 'give-up'>> = {
  'no-answer': { firstPauseMs: 500 },
  'too-many-requests': { firstPauseMs: 5_000 },
  'server-failure': { firstPauseMs: 1_000 },
  'token-unavailable': { firstPauseMs: 1_000 },
  // The next answer would be the same one, or a person has to do something.
  'too-large': 'give-up',
  'unexpected-status': 'give-up',
  refused: 'give-up',
  malformed: 'give-up',
  'token-refused': 'give-up',
  // Not the market's doing: a request budget that is used up, a programming error.
  other: 'give-up',
};

export interface RetryPolicy {
  /** Tries in all, the first included. */
  readonly attempts: number;
  /** Longest wait before a single repeat, milliseconds. A server that asks for more is not asked again by this operation. */
  readonly longestPauseMs: number;
}

/** Three tries with at most half a minute between two of them. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 3, longestPauseMs: 30_000 };

/** For callers who ask again by themselves, at intervals: a second layer of repeats would multiply theirs. */
export const NO_RETRY: RetryPolicy = { attempts: 1, longestPauseMs: 0 };

/**
 * How long to wait before trying again what has failed.
 *
 * Neither the server's `Retry-After` nor the table's own pause, which doubles each time, is undercut: a server that says `0` with its 429
 * is not asked again at once. Both with jitter, so that clients that failed together do not come back together.
 * @param failed tries that have failed so far, this one included
 * @param random a number from 0 to 1
 * @returns milliseconds; undefined: give up, and pass the error on
 */
export function retryAfter(
  error: unknown,
  failed: number,
  policy: RetryPolicy,
  random: number,
): number | undefined {
  const row = TABLE[failureKind(error)];
  if (row === 'give-up' || failed >= policy.attempts) return undefined;
  const asked = askedFor(error);
  if (asked !== undefined && asked > policy.longestPauseMs) return undefined;
  const own = backoffDelayMs(failed, { baseMs: row.firstPauseMs, maxMs: policy.longestPauseMs }, random);
  const obedient = asked === undefined ? 0 : asked + random * Math.min(1_000, asked / 10);
  return Math.min(Math.max(own, obedient), policy.longestPauseMs);
}

function askedFor(error: unknown): number | undefined {
  return error instanceof Error && 'retryAfterMs' in error && typeof error.retryAfterMs === 'number'
    ? error.retryAfterMs
    : undefined;
}
