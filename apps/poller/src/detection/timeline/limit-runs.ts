import { addDays, dateOf, toInstant, type MarketDate } from '@ssb/market';
import type { LeftOut } from '../detection.js';
import { runId, type SettlementRun } from '../settlement/runs.js';

/** Daily settlement in three markets with three adjustments has about 13,000 runs in three years. */
export const MAX_TIMELINE_RUNS = 20_000;

/** The invoice days of a request, both included; empty when `from` is after `to`. */
export interface InvoiceDays {
  readonly from: MarketDate;
  readonly to: MarketDate;
}

export interface LimitedRuns {
  /** In the order of their invoice days. */
  readonly runs: readonly SettlementRun[];
  /** The invoice days whose runs are all kept. */
  readonly window: InvoiceDays;
  readonly leftOut: readonly LeftOut[];
}

/** Keeps the runs whose invoice days are nearest to today, also some of a day, because each of them is requested. */
export function limitRuns(
  runs: readonly SettlementRun[],
  window: InvoiceDays,
  today: MarketDate,
  max = MAX_TIMELINE_RUNS,
): LimitedRuns {
  const sorted = sortRuns(runs);
  if (sorted.length <= max) return { runs: sorted, window, leftOut: [] };
  const now = toInstant(today).getTime();
  const distance = (run: SettlementRun): number =>
    Math.abs(toInstant(dateOf(run.invoiceDate)).getTime() - now);
  const nearest = sorted
    .map((run) => ({ run, distance: distance(run) }))
    .sort((a, b) => a.distance - b.distance)
    .map(({ run }) => run);
  const kept = sortRuns(nearest.slice(0, max));
  const missing = nearest.slice(max).map(({ invoiceDate }) => dateOf(invoiceDate));
  const lastBefore = latest(missing.filter((day) => day < today));
  const firstAfter = earliest(missing.filter((day) => day >= today));
  const range = `invoice days ${daysOf(kept).join(' to ')}`;
  return {
    runs: kept,
    window: {
      from:
        latest([window.from, ...(lastBefore === undefined ? [] : [addDays(lastBefore, 1)])]) ?? window.from,
      to: earliest([window.to, ...(firstAfter === undefined ? [] : [addDays(firstAfter, -1)])]) ?? window.to,
    },
    leftOut: [{ what: 'runs of the timeline', count: missing.length, kept: kept.length, range }],
  };
}

export function sortRuns(runs: readonly SettlementRun[]): SettlementRun[] {
  return runs
    .map((run) => ({ run, key: `${dateOf(run.invoiceDate)}|${runId(run)}` }))
    .sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
    .map(({ run }) => run);
}

export function isIn({ from, to }: InvoiceDays, { invoiceDate }: SettlementRun): boolean {
  const day = dateOf(invoiceDate);
  return from <= day && day <= to;
}

function daysOf(runs: readonly SettlementRun[]): MarketDate[] {
  return [runs[0], runs.at(-1)].flatMap((run) => (run === undefined ? [] : [dateOf(run.invoiceDate)]));
}

function earliest(days: readonly MarketDate[]): MarketDate | undefined {
  return days.reduce<MarketDate | undefined>(
    (first, day) => (first === undefined || day < first ? day : first),
    undefined,
  );
}

function latest(days: readonly MarketDate[]): MarketDate | undefined {
  return days.reduce<MarketDate | undefined>(
    (last, day) => (last === undefined || day > last ? day : last),
    undefined,
  );
}
