import type { CalendarRow } from '../../api/operations.js';
import { groupBy } from '../../format/group-by.js';
import { findOverdue } from './run-state.js';

export interface LastDay {
  readonly day: string;
  readonly runs: readonly CalendarRow[];
}

export interface CalendarSummary {
  /** The one that has been overdue longest comes first. */
  readonly overdue: readonly CalendarRow[];
  /** Last days to dispute statements, the earliest first. */
  readonly lastDays: readonly LastDay[];
}

/**
 * What needs attention first, whatever days the grid shows.
 * @param overdue runs that are overdue
 * @param published runs whose statement was published recently enough to be disputed
 */
export function summarise(
  overdue: readonly CalendarRow[],
  published: readonly CalendarRow[],
  today: string,
): CalendarSummary {
  const disputable = published.filter(({ disagreeUntil = '' }) => disagreeUntil >= today);
  const lastDays = groupBy(disputable, ({ disagreeUntil = '' }) => disagreeUntil);
  return {
    overdue: overdue.toSorted((one, other) => (dueDay(one) < dueDay(other) ? -1 : 1)),
    lastDays: [...lastDays]
      .map(([day, runs]) => ({ day, runs }))
      .sort((one, other) => (one.day < other.day ? -1 : 1)),
  };
}

const dueDay = (run: CalendarRow): string => findOverdue(run)?.day ?? run.date;
