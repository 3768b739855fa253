import type { BrokenRule } from '../form.js';
import { type MarketDateTime, isMarketDateTime } from '../market-time.js';

interface FromTo {
  readonly periodFrom: MarketDateTime;
  readonly periodTo: MarketDateTime;
}

/** "First trading day", or start, and "last trading day", or end: a period does not end before it begins. */
export function brokenPeriodEnd({ periodFrom, periodTo }: FromTo): BrokenRule[] {
  // A date that is none has been complained of already.
  if (![periodFrom, periodTo].every(isMarketDateTime) || periodFrom <= periodTo) return [];
  return [{ path: ['periodTo'], message: `expected not to be before periodFrom, ${periodFrom}` }];
}
