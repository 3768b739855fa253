import { addDays, weekdayOf, type MarketDate } from '@ssb/market/market-time';
import type { DetectionSettings } from './detection-settings.js';

type Calendar = DetectionSettings['calendar'];

/** Business days are counted over at most this many calendar days. */
const MAX_CALENDAR_DAYS = 4_000;

/** The n-th business day after a date, or before it for a negative number; for 0 the date itself. */
export function addBusinessDays(date: MarketDate, count: number, calendar: Calendar): MarketDate {
  const step = Math.sign(count);
  let day = date;
  let left = Math.abs(count);
  for (let steps = 0; steps < MAX_CALENDAR_DAYS && left > 0; steps += 1) {
    day = addDays(day, step);
    if (isBusinessDay(day, calendar)) left -= 1;
  }
  return day;
}

/** Business days after a date, up to and with the last day. */
export function countBusinessDays(date: MarketDate, lastDay: MarketDate, calendar: Calendar): number {
  let count = 0;
  for (let day = date, steps = 0; day < lastDay && steps < MAX_CALENDAR_DAYS; steps += 1) {
    day = addDays(day, 1);
    if (isBusinessDay(day, calendar)) count += 1;
  }
  return count;
}

function isBusinessDay(day: MarketDate, { businessDays, holidays }: Calendar): boolean {
  return businessDays.includes(weekdayOf(day)) && !holidays.has(day);
}
