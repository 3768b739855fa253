import { addDays } from '../../format/market-time.js';
import type { Filters } from '../../format/search-values.js';

export const MARKETS = ['WEM', 'STEM', 'NSTEM'] as const;
export type Market = (typeof MARKETS)[number];

export const WEEKS = [4, 8, 13, 26, 52] as const;
const DEFAULT_WEEKS = 13;

const DAY = /^\d{4}-\d\d-\d\d$/;

/** What the address chooses. Values that are not possible are ignored. */
export interface CalendarRange {
  readonly market: Market;
  readonly weeks: number;
  /** The first day that is not in the range; undefined when everything to come is. */
  readonly until: string | undefined;
  readonly since: string;
}

export function readRange(filters: Filters, today: string): CalendarRange {
  const weeks = WEEKS.find((each) => String(each) === filters['weeks']) ?? DEFAULT_WEEKS;
  const until = readDay(filters['until']);
  return {
    market: MARKETS.find((each) => each === filters['market']) ?? 'WEM',
    weeks,
    until,
    since: addDays(until ?? today, -7 * weeks),
  };
}

/** `until` of the weeks before. */
export const earlierRange = ({ since }: CalendarRange): string => since;

/** `until` of the weeks after; undefined when they reach today. */
export function laterRange({ until, weeks }: CalendarRange, today: string): string | undefined {
  if (until === undefined) return undefined;
  const later = addDays(until, 7 * weeks);
  return later > today ? undefined : later;
}

function readDay(text: string | undefined): string | undefined {
  return text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}
