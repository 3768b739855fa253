import { addDays, dateOf, toMarketDate, type MarketDate } from '@ssb/market';
import type { SettlementRun } from '../settlement/runs.js';
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

/** A period is a month. */
const MAX_TRADING_DAYS = 31;

/** The estimations of the past trading days of the initial runs whose statement day has not ended. */
export function openEstimations(runs: readonly SettlementRun[], now: Date): EstimationRequest[] {
  const today = toMarketDate(now);
  const open = runs.filter(
    ({ marketService, designation, statementDate }) =>
      marketService === 'NSTEM' && designation === 'INITIAL' && dateOf(statementDate) >= today,
  );
  return open.flatMap((run) => listPastDays(run, today).map((tradingDay) => ({ run, tradingDay })));
}

/** The estimations to request now. A missing one is requested at the early interval, one that is there at the later interval of re-checks. */
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

function listPastDays({ periodFrom, periodTo }: SettlementRun, today: MarketDate): MarketDate[] {
  const first = dateOf(periodFrom);
  return Array.from({ length: MAX_TRADING_DAYS }, (_, index) => addDays(first, index)).filter(
    (day) => day <= dateOf(periodTo) && day < today,
  );
}
