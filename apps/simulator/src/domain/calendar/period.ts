import { addDays, parseMarketDate, weekdayOf, type MarketDate, type MarketService } from '@ssb/market';

/** A settlement period of one market service, from its first to its last trading day. */
export interface Period {
  marketService: MarketService;
  from: MarketDate;
  to: MarketDate;
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** `TW DD MMM YYYY` for WEM, `MMM YYYY` for NSTEM, `TW WW/YY` for STEM (document 000, Cycle). */
export function formatPeriodName({ marketService, from }: Period): string {
  const [year = '', month, day] = from.split('-');
  switch (marketService) {
    case 'WEM':
      return `TW ${day} ${MONTHS[Number(month) - 1]} ${year}`;
    case 'NSTEM':
      return `${MONTHS[Number(month) - 1]} ${year}`;
    case 'STEM':
      return `TW ${getIsoWeek(from).week}/${getIsoWeek(from).year.slice(2)}`;
  }
}

/** The period in an invoice: tradeWeek or tradeMonth, by market service (document 000, SettlementInvoice). */
export function formatTradeLabel(period: Period): { tradeWeek: string } | { tradeMonth: string } {
  switch (period.marketService) {
    case 'WEM':
      return { tradeWeek: formatPeriodName(period) };
    case 'STEM':
      return { tradeWeek: `${getIsoWeek(period.from).year}-${getIsoWeek(period.from).week}` };
    case 'NSTEM':
      return { tradeMonth: period.from.slice(0, 7) };
  }
}

/** All trading days of the period in order. */
export function listTradingDays({ from, to }: Period): MarketDate[] {
  const days: MarketDate[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

/** The seven days that begin on `from`. */
export function weekFrom(marketService: MarketService, from: MarketDate): Period {
  return { marketService, from, to: addDays(from, 6) };
}

/** The calendar month that contains the day. */
export function monthOf(marketService: MarketService, day: MarketDate): Period {
  return { marketService, from: firstOfMonth(day, 0), to: addDays(firstOfMonth(day, 1), -1) };
}

/** The first day of the month that is `months` after the month of the day; before it when negative. */
export function firstOfMonth(day: MarketDate, months: number): MarketDate {
  const first = new Date(`${day.slice(0, 7)}-01T00:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() + months);
  return parseMarketDate(first.toISOString().slice(0, 10));
}

/** Trading weeks begin on a Sunday. */
export function sundayOnOrBefore(day: MarketDate): MarketDate {
  return addDays(day, -weekdayOf(day));
}

/** The day itself, or the Monday after a weekend. Public holidays count as business days. */
export function businessDayFrom(day: MarketDate): MarketDate {
  const weekday = weekdayOf(day);
  return addDays(day, weekday === 6 ? 2 : weekday === 0 ? 1 : 0);
}

/** ISO 8601: a week belongs to the year of its Thursday. */
function getIsoWeek(day: MarketDate): { year: string; week: string } {
  const weekday = (weekdayOf(day) + 6) % 7;
  const thursday = addDays(day, 3 - weekday);
  const dayOfYear = (Date.parse(thursday) - Date.parse(`${thursday.slice(0, 4)}-01-01`)) / 86_400_000;
  return { year: thursday.slice(0, 4), week: String(Math.floor(dayOfYear / 7) + 1).padStart(2, '0') };
}
