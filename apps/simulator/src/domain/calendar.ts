import { addDays, type MarketDate } from '@ssb/market';
import { businessDayFrom, monthOf, sundayOnOrBefore, weekFrom, type Period } from './period.js';
import { firstOfMonth } from './relative-day.js';
import type { EndlessScenario, PlannedRun, RunRule } from './scenario.js';
import { designationBefore, runKey, type SettlementRun } from './settlement-run.js';

/** A run together with what its statement is to carry. */
export interface CalendarRun extends SettlementRun {
  controlFigure?: string | undefined;
}

/** A statement or an invoice, and the day it is due. */
export interface DuePublication {
  kind: 'statement' | 'invoice';
  run: CalendarRun;
  due: MarketDate;
}

/** The run that a scene names, with its days counted from today. */
export function plannedRunOn(today: MarketDate, run: PlannedRun): CalendarRun {
  const period = plannedPeriod(today, run);
  return {
    period,
    designation: run.designation,
    commencementDate: commencementOf(run, period, today),
    statementDate: addDays(today, run.statementDay),
    invoiceDate: addDays(today, run.invoiceDay),
    settlementDate: addDays(today, run.settlementDay),
    controlFigure: run.controlFigure,
  };
}

function plannedPeriod(today: MarketDate, run: PlannedRun): Period {
  const { marketService } = run;
  if ('month' in run) return monthOf(marketService, firstOfMonth(today, run.month));
  return { marketService, from: addDays(today, run.firstDay), to: addDays(today, run.lastDay) };
}

/** STEM runs have none (document 000, Run); any other starts on the first business day after its period unless it says otherwise. */
function commencementOf(run: PlannedRun, period: Period, today: MarketDate): MarketDate | undefined {
  if (run.marketService === 'STEM') return undefined;
  if (run.commencementDay !== undefined) return addDays(today, run.commencementDay);
  return businessDayFrom(addDays(period.to, 1));
}

/** How far ahead of today the timeline tells what is to come. */
const DAYS_AHEAD = 42;
/** No statement is due later than this after its period; a rule that asks for more simply begins later. */
const LONGEST_SETTLEMENT_DAYS = 400;

/**
 * All runs whose statement is due from so many weeks before the anchor until six weeks after today, in the order in which
 * they are due. An adjustment is among them when the run that it adjusts is: a market begins with initial runs, so that what an
 * invoice calls previous can be read. With a later today the list only grows at its end.
 */
export function calendarOf(
  { backlogWeeks, rules }: Pick<EndlessScenario['settlement'], 'backlogWeeks' | 'rules'>,
  anchor: MarketDate,
  today: MarketDate,
): CalendarRun[] {
  const first = addDays(anchor, -7 * backlogWeeks);
  const last = addDays(today, DAYS_AHEAD);
  const due = rules
    .flatMap((rule) => periodsOf(rule, first, last).map((period) => runOf(rule, period)))
    .filter(({ statementDate }) => statementDate >= first && statementDate <= last)
    .sort(
      (a, b) =>
        compare(a.statementDate, b.statementDate) ||
        compare(a.period.marketService, b.period.marketService) ||
        compare(a.period.from, b.period.from),
    );
  return withAdjusted(due);
}

/** Without the adjustments of what was stated before the list begins. */
function withAdjusted(due: readonly CalendarRun[]): CalendarRun[] {
  const listed = new Set<string>();
  return due.filter((run) => {
    const before = designationBefore(run.designation);
    if (before !== undefined && !listed.has(runKey({ ...run, designation: before }))) return false;
    listed.add(runKey(run));
    return true;
  });
}

/** What the calendar makes due until today, oldest first. A later today only adds at the end. */
export function publicationsUntil(calendar: readonly CalendarRun[], today: MarketDate): DuePublication[] {
  return calendar
    .flatMap((run): DuePublication[] => [
      { kind: 'statement', run, due: run.statementDate },
      { kind: 'invoice', run, due: run.invoiceDate },
    ])
    .filter(({ due }) => due <= today)
    .sort((a, b) => compare(a.due, b.due));
}

function runOf(rule: RunRule, period: Period): CalendarRun {
  const after = (days: number): MarketDate => businessDayFrom(addDays(period.to, days));
  return {
    period,
    designation: rule.designation,
    ...(rule.marketService !== 'STEM' && { commencementDate: after(rule.commencementAfter ?? 1) }),
    statementDate: after(rule.statementAfter),
    invoiceDate: after(rule.invoiceAfter),
    settlementDate: after(rule.settlementAfter),
    controlFigure: rule.controlFigure,
  };
}

function periodsOf({ marketService, period }: RunRule, first: MarketDate, last: MarketDate): Period[] {
  const periods: Period[] = [];
  let from = sundayOnOrBefore(addDays(first, -LONGEST_SETTLEMENT_DAYS));
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
