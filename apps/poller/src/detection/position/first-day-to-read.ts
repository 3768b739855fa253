import { addDays, dateOf, toMarketDate, type MarketDate } from '@ssb/market';
import { latestCalculation } from './calculation-log.js';
import type { PositionState } from './detect-positions.js';
import { firstFutureDay } from './future-calculations.js';

/** The days of a future calculation are requested for this long. Later it is decided only if a response still has it. */
const MAX_DAYS_OF_WAITING = 62;

/**
 * The first trading day to request: the day before the latest known actual calculation, or earlier while a response is incomplete. At most
 * `recoveryDays` back, and exactly that many without a known calculation. Days of future calculations are requested for longer.
 */
export function firstDayToRead(
  state: PositionState | undefined,
  now: Date,
  recoveryDays: number,
): MarketDate {
  const today = toMarketDate(now);
  const earliest = addDays(today, -recoveryDays);
  const calculatedAt = state && latestCalculation(state.log)?.calculatedAt;
  // Until a calculation of a new market day is known, one of the day before the last can still come.
  const before = calculatedAt === undefined ? earliest : addDays(earlierOf(dateOf(calculatedAt), today), -1);
  const first = earlierOf(before, state?.incompleteFrom ?? before);
  const present = first > earliest ? first : earliest;
  const waiting = state && firstFutureDay(state.future);
  const limit = addDays(today, -MAX_DAYS_OF_WAITING);
  return waiting === undefined ? present : earlierOf(present, waiting > limit ? waiting : limit);
}

function earlierOf(a: MarketDate, b: MarketDate): MarketDate {
  return a < b ? a : b;
}
