import { addDays, parseMarketDate, type MarketDate, type MarketService } from '@ssb/market';

/** A settlement period of one market service; both days are trading days of it. */
export interface Period {
  marketService: MarketService;
  from: MarketDate;
  to: MarketDate;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** The name of the period: `TW DD MMM YYYY` for WEM, `MMM YYYY` for NSTEM, `TW WW/YY` for STEM (document 000, Cycle). */
export function nameOf({ marketService, from }: Period): string {
  const [year = '', month, day] = from.split('-');
  switch (marketService) {
    case 'WEM':
      return `TW ${day} ${MONTHS[Number(month) - 1]} ${year}`;
    case 'NSTEM':
      return `${MONTHS[Number(month) - 1]} ${year}`;
    case 'STEM':
      return `TW ${isoWeekOf(from).week}/${isoWeekOf(from).year.slice(2)}`;
  }
}

/** How an invoice names the period: tradeWeek or tradeMonth, by market service (document 000, SettlementInvoice). */
export function tradeLabelOf(period: Period): { tradeWeek: string } | { tradeMonth: string } {
  switch (period.marketService) {
    case 'WEM':
      return { tradeWeek: nameOf(period) };
    case 'STEM':
      return { tradeWeek: `${isoWeekOf(period.from).year}-${isoWeekOf(period.from).week}` };
    case 'NSTEM':
      return { tradeMonth: period.from.slice(0, 7) };
  }
}

/** Every trading day of the period, first to last. */
export function tradingDaysOf({ from, to }: Period): MarketDate[] {
  const days: MarketDate[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The seven days that begin on `from`. */
export function weekFrom(marketService: MarketService, from: MarketDate): Period {
  return { marketService, from, to: addDays(from, 6) };
}

/** The calendar month that the day lies in. */
export function monthOf(marketService: MarketService, day: MarketDate): Period {
  return { marketService, from: firstOfMonth(day, 0), to: addDays(firstOfMonth(day, 1), -1) };
}

/** The first day of the calendar month so many months after the day's own; before it when negative. */
export function firstOfMonth(day: MarketDate, months: number): MarketDate {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + months);
  return parseMarketDate(first.toISOString().slice(0, 10));
}

/** The first of the day and those before it that is a Sunday: trading weeks here begin on one. */
export function sundayOnOrBefore(day: MarketDate): MarketDate {
  return addDays(day, -new Date(`${day}T00:00:00Z`).getUTCDay());
}

/** The day itself, or the Monday after a weekend. Public holidays are business days here. */
export function businessDayFrom(day: MarketDate): MarketDate {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, weekday === 6 ? 2 : weekday === 0 ? 1 : 0);
}

/** ISO 8601: the week belongs to the year that its Thursday lies in. */
function isoWeekOf(day: MarketDate): { year: string; week: string } {
  const weekday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;
  const thursday = addDays(day, 3 - weekday);
  const dayOfYear = (Date.parse(thursday) - Date.parse(`${thursday.slice(0, 4)}-01-01`)) / 86_400_000;
  return { year: thursday.slice(0, 4), week: String(Math.floor(dayOfYear / 7) + 1).padStart(2, '0') };
}
