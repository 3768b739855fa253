const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * How long a token service that refused a client is not asked by it again. Credentials and scopes need a person, so asking at once changes nothing,
 * and services slow down who goes on guessing; a minute at most, so that what the person did is soon noticed.
 * @param inARow refusals one after the other, this one included
 * @returns milliseconds
 */
export function refusalPause(inARow: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** Math.min(inARow - 1, 10), LONGEST_PAUSE_MS);
}
