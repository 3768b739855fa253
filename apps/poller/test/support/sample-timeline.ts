import {
  addDays,
  startOfDay,
  weekdayOf,
  type Designation,
  type MarketDate,
  type MarketDateTime,
  type MarketService,
} from '@ssb/market';
import type { ScheduledRun } from '../../src/detection/schedule/publication.js';

/** Days from the last trading day of a period to the start of a run, its statement and its invoice. */
type RunRule = readonly [
  service: MarketService,
  designation: Designation,
  commencement: number | undefined,
  statement: number,
  invoice: number,
];

const WEEKLY: readonly RunRule[] = [
  ['WEM', 'INITIAL', 1, 5, 6],
  ['WEM', 'ADJ1', 56, 61, 62],
  ['WEM', 'ADJ2', 119, 124, 125],
  ['WEM', 'ADJ3', 182, 187, 188],
  ['STEM', 'INITIAL', undefined, 4, 5],
];
const MONTHLY: readonly RunRule[] = [
  ['NSTEM', 'INITIAL', 1, 20, 22],
  ['NSTEM', 'ADJ1', 80, 90, 92],
  ['NSTEM', 'ADJ2', 140, 150, 152],
  ['NSTEM', 'ADJ3', 200, 210, 212],
];

/**
 * The runs with an invoice date from `from` to `to`. Trading weeks end on Saturdays, so all statements of WEM are due on Thursdays and their
 * invoices on Fridays; those of STEM one day earlier. Days of NSTEM at a weekend move to Monday.
 */
export function sampleRuns(from: MarketDate, to: MarketDate): ScheduledRun[] {
  const weekly = listSaturdays(addDays(from, -200), to).flatMap((last) =>
    WEEKLY.map((rule) => createRun(rule, addDays(last, -6), last)),
  );
  const monthly = listMonths(addDays(from, -240), to).flatMap(([first, last]) =>
    MONTHLY.map((rule) => createRun(rule, first, last)),
  );
  return [...weekly, ...monthly].filter(
    ({ invoiceDate }) => invoiceDate >= startOfDay(from) && invoiceDate <= startOfDay(to),
  );
}

function createRun(
  [marketService, designation, commencement, statement, invoice]: RunRule,
  first: MarketDate,
  last: MarketDate,
): ScheduledRun {
  const businessDay = (days: number): MarketDateTime => startOfDay(businessDayFrom(addDays(last, days)));
  return {
    marketService,
    designation,
    periodFrom: startOfDay(first),
    periodTo: startOfDay(last),
    commencementDate: commencement === undefined ? null : businessDay(commencement),
    statementDate: businessDay(statement),
    invoiceDate: businessDay(invoice),
  };
}

function listSaturdays(from: MarketDate, to: MarketDate): MarketDate[] {
  return listDays(from, to).filter((day) => weekdayOf(day) === 6);
}

/** The first and last day of each month that ends between both days. */
function listMonths(from: MarketDate, to: MarketDate): [MarketDate, MarketDate][] {
  return listDays(from, to)
    .filter((day) => addDays(day, 1).endsWith('-01'))
    .map((last) => [`${last.slice(0, 7)}-01` as MarketDate, last]);
}

function listDays(from: MarketDate, to: MarketDate): MarketDate[] {
  const days: MarketDate[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return days;
}

function businessDayFrom(day: MarketDate): MarketDate {
  const weekday = weekdayOf(day);
  return addDays(day, weekday === 6 ? 2 : weekday === 0 ? 1 : 0);
}
