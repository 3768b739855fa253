/** A poll is overdue after this many intervals without a success. */
const MAX_INTERVALS = 3;

export interface PollTiming {
  /** Time between the starts of two polls, milliseconds. */
  readonly intervalMs: number;
  /** Maximum time of one request, milliseconds. */
  readonly requestTimeoutMs: number;
}

/**
 * How long an interface may be without a successful poll, milliseconds. A poll may last as long as a request, so a shorter interval counts
 * as one request timeout. Pauses after failures do not extend it.
 */
export function overdueAfterMs({ intervalMs, requestTimeoutMs }: PollTiming): number {
  return MAX_INTERVALS * Math.max(intervalMs, requestTimeoutMs);
}
