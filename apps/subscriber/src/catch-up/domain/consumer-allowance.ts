/** New consumers of a channel in a day before the rate is reduced. A bus that never removes them has a limit, 1,000 in the public one. */
export const MAX_CONSUMERS_A_DAY = 10;
const DAY_MS = 86_400_000;
/** Beyond the limit, between two new consumers. */
export const MIN_INTERVAL_BEYOND_LIMIT_MS = 15 * 60_000;
/** `from` begins up to this much earlier than it has to, so that another subscriber or a restored database does not repeat it. */
const SPREAD_MS = 60_000;
/** A channel is read from its beginning with a `from` before this time. */
const BEFORE_ANY_MESSAGE_MS = Date.parse('2000-01-01T00:00:00.000Z');

export interface ConsumerAllowance {
  /** Until another consumer may be made; 0: at once. */
  readonly waitMs: number;
  /** As long as the limit is reached; 0: it is not. */
  readonly limitedForMs: number;
}

/** @param createdAtMs of the consumers that count, epoch milliseconds. Times in the future do not count: the clock was set back. */
export function allowConsumer(createdAtMs: readonly number[], nowMs: number): ConsumerAllowance {
  const recent = createdAtMs
    .filter((at) => at <= nowMs && nowMs - at < DAY_MS)
    .toSorted((earlier, later) => later - earlier);
  const [newest] = recent;
  const limiting = recent[MAX_CONSUMERS_A_DAY - 1];
  if (newest === undefined || limiting === undefined) return { waitMs: 0, limitedForMs: 0 };
  return {
    waitMs: Math.max(0, newest + MIN_INTERVAL_BEYOND_LIMIT_MS - nowMs),
    limitedForMs: limiting + DAY_MS - nowMs,
  };
}

/**
 * The `from` of a new consumer, epoch milliseconds.
 * @param startMs where reading has to begin; 0: at the beginning of the channel
 * @param random from 0 to 1
 */
export function chooseFrom(startMs: number, random: number): number {
  if (startMs < BEFORE_ANY_MESSAGE_MS) return Math.floor(random * BEFORE_ANY_MESSAGE_MS);
  return startMs - Math.floor(random * SPREAD_MS);
}
