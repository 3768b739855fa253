import { tryParseDuration } from '@ssb/config';

/** The database counts microseconds, of which a Date loses the last three digits. */
const ROUNDING_MS = 1;
const MINUTE_MS = 60_000;

/** The next round of reminders or digests after a failure. */
export const RETRY_MS = 5_000;

/** When a pause of a rule is over that began at a time of the database. @param pause such as `30m` */
export function endOfPause(from: Date, pause: string): Date {
  return new Date(from.getTime() + (tryParseDuration(pause) ?? 0) + ROUNDING_MS);
}

/** When to look again at the windows of a rule: they begin and end with a minute. */
export function startOfNextMinute(now: Date): Date {
  return new Date((Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS);
}
