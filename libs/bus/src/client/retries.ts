import { backoffDelayMs, retry } from '@ssb/resilience';
import { GatewayError } from './gateway-error.js';
import { retryOf } from './retry-table.js';

/** How often and how long a call is tried. */
export interface RetryOptions {
  /** Attempts in all, the first one too. */
  readonly attempts: number;
  /** Longest pause between two of them, milliseconds. A gateway that asks for more patience than that gets none. */
  readonly longestPauseMs: number;
}

const FIRST_DELAY_MS = 200;

/**
 * Milliseconds to wait before the next attempt; undefined when there is none.
 * @param failed attempts that have failed so far, from 1
 * @param repeatable doing what was requested twice is harmless
 * @param random from 0 to 1
 */
export function pauseBefore(
  error: unknown,
  failed: number,
  { attempts, longestPauseMs, repeatable, random }: RetryOptions & { repeatable: boolean; random: number },
): number | undefined {
  if (failed >= attempts) return undefined;
  const verdict = retryOf(error);
  if (verdict === 'never' || (verdict === 'repeatable' && !repeatable)) return undefined;
  const asked = error instanceof GatewayError ? (error.retryAfterMs ?? 0) : 0;
  if (asked > longestPauseMs) return undefined;
  return Math.max(asked, backoffDelayMs(failed, { baseMs: FIRST_DELAY_MS, maxMs: longestPauseMs }, random));
}

/** Repeats the work until it succeeds or `pauseBefore` gives no delay. `signal` ends a wait, and so the attempts. */
export function withRetries<T>(
  options: RetryOptions & { readonly repeatable: boolean; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const delayMs = (error: unknown, failed: number) =>
    pauseBefore(error, failed, { ...options, random: Math.random() });
  return retry(work, { delayMs, signal: options.signal });
}
