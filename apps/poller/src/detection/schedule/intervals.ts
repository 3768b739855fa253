/** How much of an interval its jitter takes off. An interval is never exceeded. */
const JITTER_SHARE = 0.1;

/**
 * A number from 0 to 1 (exclusive) that is always the same for a text. Participants with the same timeline request at different moments
 * because the text contains the participant.
 */
export function spreadOf(text: string): number {
  // FNV-1a, 32 bits.
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash >>> 0) / 2 ** 32;
}

/** The interval, shortened by up to a tenth. Whole milliseconds. */
export function withJitter(intervalMs: number, spread: number): number {
  return Math.floor(intervalMs * (1 - JITTER_SHARE * spread));
}

/** The interval after a number of failed requests in a row: that of a retry, doubled with each further failure, up to the normal interval. */
export function intervalAfter(failures: number, intervalMs: number, retryIntervalMs: number): number {
  return failures === 0 ? intervalMs : Math.min(intervalMs, retryIntervalMs * 2 ** (failures - 1));
}

/** A moment within the interval. Whole milliseconds. */
export function momentIn(intervalMs: number, spread: number): number {
  return Math.floor(intervalMs * spread);
}

/** Whether an interval has passed. A start in the future is one of a clock that was set back, so the interval counts as passed. */
export function hasPassed(intervalMs: number, start: Date, now: Date): boolean {
  const elapsedMs = now.getTime() - start.getTime();
  return elapsedMs < 0 || elapsedMs >= intervalMs;
}
