import { toMarketDay } from '../../format/market-time.js';
import { MarketTime, useToday } from '../../ui/values.js';

/** A time without its day when that is today. */
export function RecentTime({ at }: { readonly at: string }) {
  return <MarketTime at={at} short={toMarketDay(Date.parse(at)) === useToday()} />;
}
