import { tryParseDuration } from '@ssb/config/duration';
import { toMarketTime } from '@ssb/events';
import { CommandError, EXIT } from '../exit.js';
import { isDay } from '../options.js';

/** Before every run and invoice. */
export const FIRST_DAY = '1970-01-01';

export const marketToday = (): string => toDay(0) ?? FIRST_DAY;

interface Days {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}

/**
 * The days of the market of two options, each a day, or one before or after today: `7d`, `+7d`.
 * @param prefix of the options: `--` or `--due-`
 * @param firstDay the day of `since` when it is not given
 */
export function readDays(given: Days, prefix: string, firstDay?: string): Days {
  const since = readDay(`${prefix}since`, given.since) ?? firstDay;
  const until = readDay(`${prefix}until`, given.until);
  if (since !== undefined && until !== undefined && since >= until)
    throw new CommandError(
      `${prefix}since (${since}${given.since === undefined ? ', by default' : ''}) must be before ${prefix}until (${until}), which is not in the listing.`,
      EXIT.usage,
    );
  return { since, until };
}

function readDay(option: string, text: string | undefined): string | undefined {
  if (text === undefined || isDay(text)) return text;
  const ms = tryParseDuration(text.replace(/^\+/, ''));
  const day = ms === undefined ? undefined : toDay(text.startsWith('+') ? ms : -ms);
  if (day === undefined)
    throw new CommandError(
      `${option} must be a day of the market such as 2026-03-19, or a time from now: 7d is 7 days ago, +7d in 7 days.`,
      EXIT.usage,
    );
  return day;
}

/** Undefined before 1970 and after 9999. */
function toDay(fromNowMs: number): string | undefined {
  const time = Date.now() + fromNowMs;
  const day = time < 0 || time > Date.parse('9999-12-30') ? '' : toMarketTime(new Date(time)).slice(0, 10);
  return isDay(day) ? day : undefined;
}
