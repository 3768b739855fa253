import { type Backoff, backoffDelayMs } from '../resilience/retry.js';
import { TokenRefusedError } from './token-errors.js';
import type { HttpResponse } from '../http/http-client.js';
import { parseTokenError } from './token-response.js';

/**
 * Delay after a refusal. Wrong credentials need an operator, and services slow down clients that repeat them. At most
 * a minute, so that a correction takes effect soon.
 */
const BACKOFF: Backoff = { baseMs: 5_000, maxMs: 60_000 };

/** Stores the last refusal of the token service until the next attempt is allowed. Times are epoch milliseconds. */
export class TokenRefusals {
  private last:
    | { readonly error: TokenRefusedError; readonly at: number; readonly until: number }
    | undefined;
  private consecutive = 0;

  /** Stores a refusal and returns its error. */
  add(response: HttpResponse, at: number): TokenRefusedError {
    this.consecutive += 1;
    const until = at + backoffDelayMs(this.consecutive, BACKOFF, 1);
    const { code, description } = parseTokenError(response.body);
    const error = new TokenRefusedError(response.status, code, description, new Date(until));
    this.last = { error, at, until };
    return error;
  }

  /** The refusal that still applies; undefined after its delay, or when the clock was set back before it. */
  current(now: number): TokenRefusedError | undefined {
    return this.last !== undefined && now >= this.last.at && now < this.last.until
      ? this.last.error
      : undefined;
  }

  /** Called after the service issued a token. */
  clear(): void {
    this.last = undefined;
    this.consecutive = 0;
  }
}
