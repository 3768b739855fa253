import { MARKET_OFFSET } from '@ssb/events';
import { showTime } from '../output/text.js';

const MARKET_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?$/;
const MIDNIGHT = /T00:00:00(\.0+)?$/;
const NAME_OF_TIME = /(At|Since)$/;

/** A time of the market, which has no zone, in UTC, and a day of it as a date. Any other text stays as it is. */
export function showMarketTime(name: string, text: string): string {
  if (!MARKET_TIME.test(text)) return text;
  return MIDNIGHT.test(text) && !NAME_OF_TIME.test(name)
    ? text.slice(0, 10)
    : showTime(`${text}${MARKET_OFFSET}`);
}
