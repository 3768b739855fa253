import type { Weekday } from '@ssb/market';

/** The names of the days in the file, at the index that they have in `Weekday`. */
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;

const NAME = `(${DAYS.join('|')})`;
/** A day or a range of days: `mon`, `mon-fri`. */
export const DAY_RANGE = new RegExp(`^${NAME}(-${NAME})?$`);

/** The days of a list such as `[mon-wed, sat]`, each once, Sunday first. A range may pass the end of the week: `fri-mon`. */
export function parseDays(ranges: readonly string[]): readonly Weekday[] {
  const days = ranges.flatMap((range) => {
    const [, first, , last = first] = DAY_RANGE.exec(range) ?? [];
    const [from, to] = [first, last].map((name) => DAYS.findIndex((day) => day === name));
    if (from === undefined || to === undefined || from < 0)
      throw new RangeError(`not a range of days: ${range}`);
    const length = ((to - from + DAYS.length) % DAYS.length) + 1;
    return Array.from({ length }, (_, index) => ((from + index) % DAYS.length) as Weekday);
  });
  return [...new Set(days)].sort((a, b) => a - b);
}
