const FIRST_CEILING_MS = 200;

/**
 * Pause before the n-th attempt in a row (from 0), milliseconds: full jitter between a quarter and all of a ceiling that doubles
 * up to `longestMs`, so that many clients of one restarted server do not come back in step.
 * @param random from 0 to 1
 */
export function backoffPause(attempt: number, random: number, longestMs = 10_000): number {
  const ceiling = Math.min(longestMs, FIRST_CEILING_MS * 2 ** Math.min(attempt, 20));
  return Math.round(ceiling / 4 + ceiling * 0.75 * random);
}
