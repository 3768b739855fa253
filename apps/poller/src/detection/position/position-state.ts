import type { MarginData, MarginLevel } from '@ssb/events';
import {
  addDays,
  dateOf,
  toMarketDate,
  type Decimal,
  type MarketDate,
  type MarketDateTime,
} from '@ssb/market';
import type { Announced } from './announcements.js';
import { EMPTY_LOG, latestCalculation, type CalculationLog } from './calculation-log.js';
import { firstFutureDay, type FutureCalculation } from './future-calculations.js';
import type { StalePosition } from './staleness.js';

/** The position at the latest actual calculation that has a margin. */
export interface PresentPosition {
  readonly calculatedAt: MarketDateTime;
  readonly tradingMargin: Decimal;
  readonly outstandingAmount?: Decimal | undefined;
  readonly level: MarginLevel;
  /** The thresholds in force. Absent when one is a share and the calculation has no trading limit. */
  readonly thresholds?: MarginData['thresholds'] | undefined;
}

/** The state that is saved between two responses of operation 1. */
export interface PositionState {
  /** RFC 3339 UTC. */
  readonly decidedAt: string;
  readonly log: CalculationLog;
  readonly announced: Announced;
  /** Whether no level is pending. */
  readonly isSettled: boolean;
  /** The first trading day of the last response, when a calculation of it could not be read. */
  readonly incompleteFrom?: MarketDate | undefined;
  /** How many deeper steps of a breach were left out, counted in the kept calculations. */
  readonly deeperLeftOut?: number | undefined;
  /** Calculations whose `calculatedAt` is in the future. */
  readonly future: readonly FutureCalculation[];
  /** RFC 3339 UTC. Absent before the first poll. */
  readonly firstPolledAt?: string | undefined;
  readonly stale?: StalePosition | undefined;
  readonly present?: PresentPosition | undefined;
}

export const EMPTY_POSITION: PositionState = {
  decidedAt: new Date(0).toISOString(),
  log: EMPTY_LOG,
  announced: { events: [], levels: {} },
  isSettled: false,
  future: [],
};

/** The days of a future calculation are requested for so long. Later it is decided only if a response still has it. */
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
