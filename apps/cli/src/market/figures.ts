import { MARKET_OFFSET } from '@ssb/events';
import { showAmount, showTime } from '../output/text.js';

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

/** As in `trading margin` for `tradingMargin`. */
export const labelOf = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** As in `trading margin -60,000.5, breach 100,000`. */
export const describeFigures = (figures: Readonly<Record<string, unknown>> = {}): string =>
  Object.entries(figures)
    .map(([name, value]) => `${labelOf(name)} ${describeFigure(name, value)}`)
    .join(', ');

/** An id has no separators. */
export function describeFigure(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return name === 'id' ? text : showAmount(showMarketTime(name, text));
}
