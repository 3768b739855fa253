import { type Backoff, backoffDelayMs } from '@ssb/resilience';
import { TokenRefusedError } from './errors.js';
import type { HttpAnswer } from './http-edge.js';
import { readTokenRefusal } from './token-answer.js';

/**
 * Delay before a service that refused a client is asked again by it. Wrong credentials need a person, and services slow down clients that
 * repeat them. A minute at most, so that a correction is noticed soon.
 */
const BACKOFF: Backoff = { baseMs: 5_000, maxMs: 60_000 };

/** What a token service refused last, for as long as it is not asked again. Times are epoch milliseconds. */
export class TokenRefusals {
  private last:
    | { readonly error: TokenRefusedError; readonly at: number; readonly until: number }
    | undefined;
  private inARow = 0;

  /** Remembers the service's refusal, and names it. */
  note(answer: HttpAnswer, at: number): TokenRefusedError {
    this.inARow += 1;
    const until = at + backoffDelayMs(this.inARow, BACKOFF, 1);
    const { code, description } = readTokenRefusal(answer.body);
    const error = new TokenRefusedError(answer.status, code, description, new Date(until));
    this.last = { error, at, until };
    return error;
  }

  /** The refusal that still stands; none when its time is over, or the clock was set back behind it. */
  standing(now: number): TokenRefusedError | undefined {
    return this.last !== undefined && now >= this.last.at && now < this.last.until
      ? this.last.error
      : undefined;
  }

  /** The service has given a token. */
  forget(): void {
    this.last = undefined;
    this.inARow = 0;
  }
}
