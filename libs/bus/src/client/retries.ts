import { setTimeout as pause } from 'node:timers/promises';
import { backoffPause } from './backoff.js';
import { GatewayError } from './gateway-error.js';
import { retryOf } from './retry-table.js';

/** How often and how long a call is tried. */
export interface RetryOptions {
  /** Attempts in all, the first one too. */
  readonly attempts: number;
  /** Longest pause between two of them, milliseconds. A gateway that asks for more patience than that gets none. */
  readonly longestPauseMs: number;
}

/**
 * Milliseconds to wait before the attempt after the n-th (from 0) that failed so; undefined when it is not tried again.
 * @param repeatable doing what was asked twice is harmless
 * @param random from 0 to 1
 */
export function pauseBefore(
  error: unknown,
  attempt: number,
  { attempts, longestPauseMs, repeatable, random }: RetryOptions & { repeatable: boolean; random: number },
): number | undefined {
  if (attempt + 1 >= attempts) return undefined;
  const retry = retryOf(error);
  if (retry === 'never' || (retry === 'repeatable' && !repeatable)) return undefined;
  const asked = error instanceof GatewayError ? (error.retryAfterMs ?? 0) : 0;
  if (asked > longestPauseMs) return undefined;
  return Math.max(asked, backoffPause(attempt, random, longestPauseMs));
}

/** Tries until it succeeds or `pauseBefore` says no more; then throws the last failure. `signal` ends a pause, and so the trying. */
export async function withRetries<T>(
  options: RetryOptions & { readonly repeatable: boolean; readonly signal: AbortSignal },
  ask: () => Promise<T>,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const wait = pauseBefore(error, attempt, { ...options, random: Math.random() });
      if (wait === undefined || options.signal.aborted) throw error;
      const waited = await pause(wait, true, { signal: options.signal }).catch(() => false);
      if (!waited) throw error;
    }
  }
}
