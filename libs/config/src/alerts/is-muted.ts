import type { Weekday } from '@ssb/market';
import { parseDays } from '../detection/weekdays.js';
import type { MuteWindow } from './mute-schema.js';

const DAYS_OF_WEEK = 7;

/** Whether an instant lies in one of the windows, by the clock on the wall in their time zones. A change to or from summer time moves no window. */
export function isMuted(windows: readonly MuteWindow[], instant: Date): boolean {
  return windows.some((window) => covers(window, instant));
}

const MS_OF_MINUTE = 60_000;
const MINUTES_OF_HOUR = 60;
const HOURS_OF_DAY = 24;
const MINUTES_OF_WEEK = DAYS_OF_WEEK * HOURS_OF_DAY * MINUTES_OF_HOUR;
const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];
/** Mondays of weeks in which no time zone changes its clock: with summer time in one half of the world or the other. */
const SAMPLED_WEEKS = ['2026-01-12T00:00:00Z', '2026-07-06T00:00:00Z'].map((start) => Date.parse(start));

/** Whether the windows leave no minute of the week, at least in winter or in summer. */
export function isAlwaysMuted(windows: readonly MuteWindow[]): boolean {
  // A time without a window begins where one ends.
  return (
    windows.length > 0 &&
    SAMPLED_WEEKS.some((start) =>
      windows.every((window) => findEnds(window, start).every((end) => isMuted(windows, end))),
    )
  );
}

/** The ends of a window in the week that begins at `start`. */
function findEnds({ days, from = '00:00', to = '24:00', timeZone }: MuteWindow, start: number): Date[] {
  const { day: startDay, time } = readWallClock(timeZone, new Date(start));
  const startMinute = minuteOfWeek(startDay, time);
  const daysLater = from < to ? 0 : 1;
  return (days === undefined ? EVERY_DAY : parseDays(days)).map((day) => {
    const minutes = minuteOfWeek(day + daysLater, to) - startMinute + MINUTES_OF_WEEK;
    return new Date(start + (minutes % MINUTES_OF_WEEK) * MS_OF_MINUTE);
  });
}

function minuteOfWeek(day: number, time: string): number {
  const [hour = NaN, minute = NaN] = time.split(':').map(Number);
  return (day * HOURS_OF_DAY + hour) * MINUTES_OF_HOUR + minute;
}

/** A window that passes midnight belongs to the day on which it begins. */
function covers({ days, from = '00:00', to = '24:00', timeZone }: MuteWindow, instant: Date): boolean {
  const { day, time } = readWallClock(timeZone, instant);
  const begins = (weekday: number): boolean =>
    days === undefined || parseDays(days).includes(weekday as Weekday);
  if (from < to) return begins(day) && from <= time && time < to;
  const dayBefore = (day + DAYS_OF_WEEK - 1) % DAYS_OF_WEEK;
  return (begins(day) && from <= time) || (begins(dayBefore) && time < to);
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const formats = new Map<string, Intl.DateTimeFormat>();

/** The day, Sunday is 0, and the time such as `08:05`. */
function readWallClock(timeZone: string, instant: Date): { readonly day: number; readonly time: string } {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en', {
      timeZone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formats.set(timeZone, format);
  }
  const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return {
    day: WEEKDAYS.indexOf(parts['weekday'] ?? ''),
    time: `${parts['hour'] ?? ''}:${parts['minute'] ?? ''}`,
  };
}
