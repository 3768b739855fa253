import { addDays, marketDayOf } from '../../format/market-time.js';
import { faultsOf, readChoices, readTime, type Filters } from '../../format/search-values.js';

export const MARKETS = ['WEM', 'STEM', 'NSTEM'] as const;
export type Market = (typeof MARKETS)[number];

export const WEEKS = [4, 8, 13, 26, 52] as const;
const DEFAULT_WEEKS = 13;

/** What the address chooses. */
export interface CalendarRange {
  readonly market: Market;
  readonly weeks: number;
  /** The first day that is not in the range; undefined when everything to come is. */
  readonly until: string | undefined;
  readonly since: string;
  /** Sentences about what was ignored. */
  readonly faults: readonly string[];
}

export function readRange(filters: Filters, today: string): CalendarRange {
  const market = readChoices('market', filters['market'], MARKETS);
  const chosen = readChoices('number of weeks', filters['weeks'], WEEKS.map(String));
  const end = readTime('end of the weeks', filters['until']);
  const weeks = Number(chosen.value?.[0] ?? DEFAULT_WEEKS);
  const until = end.value && marketDayOf(end.value);
  return {
    market: market.value?.[0] ?? 'WEM',
    weeks,
    until,
    since: addDays(until ?? today, -7 * weeks),
    faults: faultsOf(market, chosen, end),
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
