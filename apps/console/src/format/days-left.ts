import { daysBetween } from './market-time.js';
import { countOf } from './count.js';

/** How far a day of the market is from today: `today`, `in 3 days`, `12 days ago`. */
export function describeDistance(day: string, today: string): string {
  const days = daysBetween(today, day);
  if (days === 0) return 'today';
  return days > 0 ? `in ${countOf(days, 'day')}` : `${countOf(-days, 'day')} ago`;
}

/** How long something may still be done: `last day today`, `12 days left`, `ended 3 days ago`. */
export function describeDaysLeft(lastDay: string, today: string): string {
  const days = daysBetween(today, lastDay);
  if (days === 0) return 'last day today';
  return days > 0 ? `${countOf(days, 'day')} left` : `ended ${countOf(-days, 'day')} ago`;
}
