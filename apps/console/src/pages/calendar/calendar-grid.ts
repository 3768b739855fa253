import type { CalendarRow } from '../../api/operations.js';
import { groupBy } from '../../format/group-by.js';

/** A row of the grid: the runs of a participant for one period. */
export interface CalendarPeriod {
  readonly key: string;
  readonly participant: string;
  /** By the operator. */
  readonly name: string | undefined;
  readonly from: string;
  readonly to: string | undefined;
  readonly runs: ReadonlyMap<string, CalendarRow>;
}

export interface CalendarGrid {
  /** The columns, in the order in which the operator publishes them. */
  readonly designations: readonly string[];
  /** The newest first. */
  readonly periods: readonly CalendarPeriod[];
}

/** Arranges runs of one market by period and designation. */
export function foldCalendar(rows: readonly CalendarRow[]): CalendarGrid {
  const periods = groupBy(rows, ({ periodFrom, participant }) => `${periodFrom} ${participant}`);
  return {
    designations: [...new Set(rows.map(({ designation }) => designation))].sort(compareDesignations),
    periods: [...periods].map(([key, runs]) => toPeriod(key, runs)).sort(comparePeriods),
  };
}

/** A run with an earlier designation than one of the period, but without a row, is before the days that were read. */
export function isBeforeRange(
  { runs }: CalendarPeriod,
  designation: string,
  designations: readonly string[],
): boolean {
  const later = designations.slice(designations.indexOf(designation) + 1);
  return !runs.has(designation) && later.some((each) => runs.has(each));
}

function toPeriod(key: string, runs: readonly CalendarRow[]): CalendarPeriod {
  const [first] = runs;
  const { participant = '', periodFrom = '' } = first ?? {};
  return {
    key,
    participant,
    name: runs.find(({ period }) => period !== undefined)?.period,
    from: periodFrom,
    to: runs.find(({ periodTo }) => periodTo !== undefined)?.periodTo,
    runs: new Map(runs.map((run) => [run.designation, run])),
  };
}

function comparePeriods(one: CalendarPeriod, other: CalendarPeriod): number {
  if (one.from !== other.from) return one.from < other.from ? 1 : -1;
  return one.participant < other.participant ? -1 : 1;
}

/** INITIAL, then ADJ1, ADJ2 … ADJ10, then others by name. */
export function compareDesignations(one: string, other: string): number {
  return rankOf(one) - rankOf(other) || one.localeCompare(other, 'en', { numeric: true });
}

function rankOf(designation: string): number {
  if (designation === 'INITIAL') return 0;
  return designation.startsWith('ADJ') ? 1 : 2;
}
