/** Market time is UTC+8 all year: Australia/Perth has no daylight saving. */
export const MARKET_OFFSET = '+08:00';
const MARKET_OFFSET_MS = 8 * 3_600_000;

/** The date of a market date-time, `yyyy-MM-dd`. */
export function dateOf(marketDateTime: string): string {
  return marketDateTime.slice(0, 10);
}

/** Midnight of a market date, as a date-time. */
export function startOfDay(marketDate: string): string {
  return `${dateOf(marketDate)}T00:00:00`;
}

/** Midnight at the end of a market date, as a date-time. */
export function endOfDay(marketDate: string): string {
  const midnight = new Date(`${dateOf(marketDate)}T00:00:00Z`);
  midnight.setUTCDate(midnight.getUTCDate() + 1);
  return midnight.toISOString().slice(0, 19);
}

/** The zone-less market time of an instant, with milliseconds. */
export function toMarketTime(instant: Date): string {
  return new Date(instant.getTime() + MARKET_OFFSET_MS).toISOString().slice(0, -1);
}

/** Milliseconds since 1970 of a market time; never negative, because some servers send year 1 as the default time. */
export function orderOfTime(marketTime: string): bigint {
  return BigInt(Math.max(0, Date.parse(`${marketTime}${MARKET_OFFSET}`)));
}

/** A number that orders market dates: 20260321. */
export function orderOfDay(marketDate: string): bigint {
  return BigInt(dateOf(marketDate).replaceAll('-', ''));
}
