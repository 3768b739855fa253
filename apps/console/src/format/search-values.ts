import { beginningOfDay, isDay } from './market-time.js';

/** The filters of a page, which its address has. */
export type Filters = Readonly<Record<string, string | undefined>>;

/** What an address has for one filter. */
export interface FilterValue<Value> {
  /** Undefined when the address has nothing that is allowed. */
  readonly value: Value | undefined;
  /** A sentence about what is not allowed and was ignored. */
  readonly fault?: string;
}

/** One or several of the allowed values, separated by commas. */
export function readChoices<Value extends string>(
  name: string,
  text: string | undefined,
  allowed: readonly Value[],
): FilterValue<readonly Value[]> {
  const given = splitList(text);
  const known = allowed.filter((each) => given.includes(each));
  const unknown = given.filter((each) => !allowed.some((value) => value === each));
  return {
    value: known.length === 0 ? undefined : known,
    ...(unknown.length > 0 && {
      fault: `The ${name} ${unknown.map((each) => `“${each}”`).join(', ')} does not exist and is ignored. Allowed: ${allowed.join(', ')}.`,
    }),
  };
}

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/;

/** A day of the market, which counts from its beginning, or a time with its offset. */
export function readTime(name: string, text: string | undefined): FilterValue<string> {
  if (text === undefined || text === '') return { value: undefined };
  const time = isDay(text) ? beginningOfDay(text) : text;
  if (TIME.test(time) && isDay(time.slice(0, 10)) && !Number.isNaN(Date.parse(time))) return { value: time };
  return {
    value: undefined,
    fault: `The ${name} “${text}” is not a time and is ignored. Give a day such as 2026-11-30.`,
  };
}

/** The entries of a list: separated by commas in an address, and by spaces too where a person writes them. */
export const splitList = (text = ''): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];

/** Whether the address has one of these filters. */
export const hasFilter = (filters: Filters, names: readonly string[]): boolean =>
  names.some((name) => (filters[name] ?? '') !== '');

/** The change that removes these filters. */
export const withoutFilters = (names: readonly string[]): Filters =>
  Object.fromEntries(names.map((name) => [name, undefined]));

/** The filters of a listing, as its address has them. */
export interface ListingFilters<Query> {
  readonly query: Query;
  /** Sentences about what was ignored. */
  readonly faults: readonly string[];
  readonly isFiltered: boolean;
}

/** The sentences about what was ignored. */
export function faultsOf(...values: readonly FilterValue<unknown>[]): readonly string[] {
  return values.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
}
