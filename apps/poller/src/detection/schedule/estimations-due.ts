import { addDays, dateOf, toInstant, toMarketDate, type MarketDate } from '@ssb/market';
import type { LeftOut } from '../detection.js';
import { runId, type SettlementRun } from '../settlement/runs.js';
import { hasPassed, intervalAfter } from './intervals.js';
import type { ScheduleSettings } from './schedule-settings.js';

/** The NSTEM estimation statement of one trading day (document 000, operation 7). */
export interface EstimationRequest {
  readonly run: SettlementRun;
  readonly tradingDay: MarketDate;
}

export interface EstimationProgress {
  readonly isSeen: boolean;
  readonly lastRequestedAt: Date | undefined;
  /** Failed requests in a row, up to the last one. */
  readonly failures: number;
}

/** A period is a month today. Of a longer one, these latest trading days are requested. */
export const MAX_TRADING_DAYS = 366;

/** The estimations of the past trading days of the initial runs whose statement day has not ended. */
export function openEstimations(runs: readonly SettlementRun[], now: Date): EstimationRequest[] {
  const today = toMarketDate(now);
  return listOpen(runs, today).flatMap((run) =>
    listPastDays(run, today).map((tradingDay) => ({ run, tradingDay })),
  );
}

/** Past trading days of open runs that are not requested, because the period is too long. */
export function estimationsLeftOut(runs: readonly SettlementRun[], now: Date): LeftOut[] {
  const today = toMarketDate(now);
  return listOpen(runs, today).flatMap((run) => {
    const { first, count } = pastDays(run, today);
    const missing = count - MAX_TRADING_DAYS;
    if (missing <= 0) return [];
    const range = `${runId(run)}, from ${addDays(first, missing)}`;
    return [{ what: 'trading days of an estimation period', count: missing, kept: MAX_TRADING_DAYS, range }];
  });
}

/** The estimations to request now. Missing estimations are requested at the early interval, published ones at the later recheck interval. */
export function estimationsDue(
  runs: readonly SettlementRun[],
  progressOf: (request: EstimationRequest) => EstimationProgress,
  { earlyIntervalMs, recheckIntervals, retryIntervalMs }: ScheduleSettings,
  now: Date,
): EstimationRequest[] {
  const recheckMs = recheckIntervals.at(-1)?.intervalMs ?? Infinity;
  return openEstimations(runs, now).filter((request) => {
    const { isSeen, lastRequestedAt, failures } = progressOf(request);
    const intervalMs = intervalAfter(failures, isSeen ? recheckMs : earlyIntervalMs, retryIntervalMs);
    return lastRequestedAt === undefined || hasPassed(intervalMs, lastRequestedAt, now);
  });
}

function listOpen(runs: readonly SettlementRun[], today: MarketDate): SettlementRun[] {
  return runs.filter(
    ({ marketService, designation, statementDate }) =>
      marketService === 'NSTEM' && designation === 'INITIAL' && dateOf(statementDate) >= today,
  );
}

function listPastDays(run: SettlementRun, today: MarketDate): MarketDate[] {
  const { first, count } = pastDays(run, today);
  const skipped = Math.max(0, count - MAX_TRADING_DAYS);
  return Array.from({ length: count - skipped }, (_, index) => addDays(first, skipped + index));
}

function pastDays(
  { periodFrom, periodTo }: SettlementRun,
  today: MarketDate,
): { readonly first: MarketDate; readonly count: number } {
  const [first, last] = [dateOf(periodFrom), dateOf(periodTo)];
  const end = last < today ? addDays(last, 1) : today;
  return { first, count: Math.max(0, (toInstant(end).getTime() - toInstant(first).getTime()) / DAY_MS) };
}

/** Market days have no change of the clock. */
const DAY_MS = 86_400_000;
