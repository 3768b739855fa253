import { addDays, dateOf, type MarketDate } from '@ssb/market';
import type { BackfillRange } from '@ssb/redis-queue';
import type { DetectionSettings } from '@ssb/config';
import { runId, type SettlementRun } from '../detection/settlement/runs.js';

/** One part of a backfill: the responses that decide some of its events. */
export type BackfillStep =
  | { readonly kind: 'calculations'; readonly from: MarketDate; readonly to: MarketDate }
  | { readonly kind: 'statement' | 'invoice'; readonly run: SettlementRun }
  | { readonly kind: 'estimation'; readonly run: SettlementRun; readonly tradingDay: MarketDate };

/** Trading days of one request for calculations. */
const DAYS_PER_STEP = 31;

/** Name of a step. The steps run in the order of their names, so a name says how far a backfill is. */
export function stepName(step: BackfillStep): string {
  switch (step.kind) {
    case 'calculations':
      return `1 calculations ${step.from}`;
    case 'statement':
      return `2 ${runId(step.run)} 1 statement`;
    case 'invoice':
      return `2 ${runId(step.run)} 2 invoice`;
    case 'estimation':
      return `2 ${runId(step.run)} 0 estimation ${step.tradingDay}`;
    default:
      return step satisfies never;
  }
}

/** The steps for the calculations of a range, in order. They need no timeline. */
export function listCalculationSteps({ from, to }: Pick<BackfillRange, 'from' | 'to'>): BackfillStep[] {
  const steps: BackfillStep[] = [];
  for (let day = from as MarketDate; day <= to; day = addDays(day, DAYS_PER_STEP)) {
    const last = addDays(day, DAYS_PER_STEP - 1);
    steps.push({ kind: 'calculations', from: day, to: last < to ? last : (to as MarketDate) });
  }
  return steps;
}

/** The steps for the publications of a range, in order, after those for calculations. @param runs whose days can lie in the range */
export function listRunSteps(
  { from, to }: Pick<BackfillRange, 'from' | 'to'>,
  runs: readonly SettlementRun[],
  { markets, estimations }: DetectionSettings['settlement'],
): BackfillStep[] {
  const isInRange = (day: MarketDate): boolean => day >= from && day <= to;
  const steps: BackfillStep[] = [];
  for (const run of runs.filter(({ marketService }) => markets.includes(marketService))) {
    if (isInRange(dateOf(run.statementDate))) steps.push({ kind: 'statement', run });
    if (isInRange(dateOf(run.invoiceDate))) steps.push({ kind: 'invoice', run });
    if (estimations && run.marketService === 'NSTEM' && run.designation === 'INITIAL')
      for (let day = dateOf(run.periodFrom); day <= dateOf(run.periodTo); day = addDays(day, 1))
        if (isInRange(day)) steps.push({ kind: 'estimation', run, tradingDay: day });
  }
  return steps.sort((a, b) => (stepName(a) < stepName(b) ? -1 : 1));
}
