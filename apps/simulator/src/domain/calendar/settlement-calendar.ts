import { addDays, weekdayOf, type MarketDate } from '@ssb/market';
import { businessDayFrom, firstOfMonth, monthOf, sundayOnOrBefore, weekFrom, type Period } from './period.js';
import type { EndlessScenario, PlannedRun, RunRule } from '../scenario/scenario.js';
import { getAdjustedRun, runKey, type SettlementRun } from './settlement-run.js';

/** A statement or an invoice with its due day. */
export interface DuePublication {
  kind: 'statement' | 'invoice';
  run: SettlementRun;
  due: MarketDate;
}

/** Converts a scenario's run, whose days count from today. A STEM run has no commencement (document 000, Run). */
export function planRun(today: MarketDate, run: PlannedRun): SettlementRun {
  const { marketService, designation, controlFigure, commencementDay } = run;
  const period: Period =
    'month' in run
      ? monthOf(marketService, firstOfMonth(today, run.month))
      : { marketService, from: addDays(today, run.firstDay), to: addDays(today, run.lastDay) };
  const commencementDate =
    commencementDay === undefined ? businessDayFrom(addDays(period.to, 1)) : addDays(today, commencementDay);
  return {
    period,
    designation,
    commencementDate: marketService === 'STEM' ? undefined : commencementDate,
    statementDate: addDays(today, run.statementDay),
    invoiceDate: addDays(today, run.invoiceDay),
    settlementDate: addDays(today, run.settlementDay),
    controlFigure,
  };
}

/** How many days ahead the timeline announces runs. */
const TIMELINE_DAYS = 42;
/** How long after its period a statement may be due; runs of a rule with more days begin later. */
const MAX_SETTLEMENT_DAYS = 400;

const SATURDAY = 6;

/** Days to add to those of the rules, so that a statement of the first rule, which is one of weeks, is due on the day. */
export function shiftTo(day: MarketDate, [first]: readonly RunRule[]): number {
  const shift = (weekdayOf(day) - SATURDAY - (first?.statementAfter ?? 0)) % 7;
  return (shift + 7) % 7;
}

/**
 * Runs whose statements are due between `backlogWeeks` before the anchor and six weeks after today, in that order. An adjustment is
 * included only with the run that it adjusts. A later `today` only appends runs.
 * @param shift of `shiftTo`. With it, statements and invoices come at weekends too, and months count from the Saturday on or after their end.
 */
export function buildCalendar(
  { backlogWeeks, rules }: Pick<EndlessScenario['settlement'], 'backlogWeeks' | 'rules'>,
  anchor: MarketDate,
  today: MarketDate,
  shift?: number,
): SettlementRun[] {
  const first = addDays(anchor, -7 * backlogWeeks);
  const last = addDays(today, TIMELINE_DAYS);
  const due = rules
    .flatMap((rule) => listPeriods(rule, first, last).map((period) => applyRule(rule, period, shift)))
    .filter(({ statementDate }) => statementDate >= first && statementDate <= last)
    .sort((a, b) => compare(dueKey(a), dueKey(b)));
  const listed = new Set<string>();
  return due.filter((run) => {
    const adjusted = getAdjustedRun(run);
    if (adjusted !== undefined && !listed.has(runKey(adjusted))) return false;
    listed.add(runKey(run));
    return true;
  });
}

function dueKey({ statementDate, period }: SettlementRun): string {
  return `${statementDate} ${period.marketService} ${period.from}`;
}

/** Statements and invoices that are due until today, oldest first. A later `today` only appends. */
export function listDuePublications(calendar: readonly SettlementRun[], today: MarketDate): DuePublication[] {
  return calendar
    .flatMap((run): DuePublication[] => [
      { kind: 'statement', run, due: run.statementDate },
      { kind: 'invoice', run, due: run.invoiceDate },
    ])
    .filter(({ due }) => due <= today)
    .sort((a, b) => compare(a.due, b.due));
}

function applyRule(rule: RunRule, period: Period, shift: number | undefined): SettlementRun {
  const end = shift === undefined ? period.to : addDays(saturdayFrom(period.to), shift);
  const daysAfter = (days: number): MarketDate => businessDayFrom(addDays(end, days));
  const publishedAfter = (days: number): MarketDate =>
    shift === undefined ? daysAfter(days) : addDays(end, days);
  const [firstChoice = 0, ...others] = [rule.settlementAfter].flat();
  const settlementAfter = [firstChoice, ...others].find((days) => daysAfter(days) === addDays(end, days));
  return {
    period,
    designation: rule.designation,
    ...(rule.marketService !== 'STEM' && { commencementDate: daysAfter(rule.commencementAfter ?? 1) }),
    statementDate: publishedAfter(rule.statementAfter),
    invoiceDate: publishedAfter(rule.invoiceAfter),
    settlementDate: daysAfter(settlementAfter ?? firstChoice),
    controlFigure: rule.controlFigure,
  };
}

function saturdayFrom(day: MarketDate): MarketDate {
  return addDays(day, SATURDAY - weekdayOf(day));
}

function listPeriods({ marketService, period }: RunRule, first: MarketDate, last: MarketDate): Period[] {
  const periods: Period[] = [];
  let from = sundayOnOrBefore(addDays(first, -MAX_SETTLEMENT_DAYS));
  while (from <= last) {
    const next = period === 'week' ? weekFrom(marketService, from) : monthOf(marketService, from);
    periods.push(next);
    from = addDays(next.to, 1);
  }
  return periods;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
