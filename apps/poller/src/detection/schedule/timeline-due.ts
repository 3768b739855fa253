import { addDays, dateOf, toInstant, toMarketDate } from '@ssb/market';
import { momentIn, spreadOf, withJitter } from './intervals.js';
import type { ScheduledRun } from './publication.js';
import type { Schedule } from './schedule-settings.js';

/** After the end of an invoice day the participants request their timelines within this time. */
const INVOICE_DAY_SPREAD_MS = 10 * 60_000;

/** Whether the timeline is requested now: at its interval, and after the end of each invoice day of its runs. */
export function timelineDue(
  last: Date | undefined,
  schedule: Schedule,
  runs: readonly Pick<ScheduledRun, 'invoiceDate'>[],
  now: Date,
): boolean {
  return nextTimelineAt(last, schedule, runs, now) <= now;
}

/** @param last when a timeline was last received; `now` is returned when it was not, or when the clock was set back since */
export function nextTimelineAt(
  last: Date | undefined,
  { participant, settings }: Schedule,
  runs: readonly Pick<ScheduledRun, 'invoiceDate'>[],
  now: Date,
): Date {
  if (last === undefined || last > now) return now;
  const spread = spreadOf(`${participant}|timeline`);
  const interval = last.getTime() + withJitter(settings.timelineIntervalMs, spread);
  // The end of the day before is spread into the day of `last`.
  const [first, final] = [addDays(toMarketDate(last), -1), toMarketDate(new Date(interval))];
  const ends = [...new Set(runs.map(({ invoiceDate }) => dateOf(invoiceDate)))]
    .filter((day) => day >= first && day <= final)
    .map((day) => toInstant(addDays(day, 1)).getTime() + momentIn(INVOICE_DAY_SPREAD_MS, spread))
    .filter((at) => at > last.getTime());
  return new Date(Math.min(interval, ...ends));
}
