import { addDays, parseMarketDate, type MarketDate } from '@ssb/market';

/**
 * Fills in `{participant}` and days relative to today: `{today}`, `{today-14}`, `{today+3}` become yyyy-MM-dd, and `{month-2}` the
 * first day of the calendar month two months ago. Whoever knows the day on which a scenario was played can work out what it stated.
 */
export function fillIn(
  text: string,
  { participant, today }: { participant: string; today: MarketDate },
): string {
  return text
    .replaceAll('{participant}', participant)
    .replace(/\{(today|month)([+-]\d+)?\}/g, (_placeholder, unit: string, count = '0') =>
      unit === 'today' ? addDays(today, Number(count)) : firstOfMonth(today, Number(count)),
    );
}

/** The first day of the calendar month so many months after the day's own; before it when negative. */
export function firstOfMonth(day: MarketDate, months: number): MarketDate {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + months);
  return parseMarketDate(first.toISOString().slice(0, 10));
}
