import { addDays, type MarketDate } from '@ssb/market';
import { businessDayFrom, firstOfMonth, monthOf, sundayOnOrBefore, weekFrom, type Period } from './period.js';
import type { EndlessScenario, PlannedRun, RunRule } from '../scenario/scenario.js';
import { adjustedRun, runKey, type SettlementRun } from './settlement-run.js';

/** A statement or an invoice, and the day it is due. */
export interface DuePublication {
  kind: 'statement' | 'invoice';
  run: SettlementRun;
  due: MarketDate;
}

/** The run of a scenario, with its days counted from today. A STEM run has no commencement (document 000, Run). */
export function plannedRunOn(today: MarketDate, run: PlannedRun): SettlementRun {
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
): SettlementRun[] {
  const first = addDays(anchor, -7 * backlogWeeks);
  const last = addDays(today, DAYS_AHEAD);
  const due = rules
    .flatMap((rule) => periodsOf(rule, first, last).map((period) => runOf(rule, period)))
    .filter(({ statementDate }) => statementDate >= first && statementDate <= last)
    .sort((a, b) => compare(dueKey(a), dueKey(b)));
  const listed = new Set<string>();
  return due.filter((run) => {
    const adjusted = adjustedRun(run);
    if (adjusted !== undefined && !listed.has(runKey(adjusted))) return false;
    listed.add(runKey(run));
    return true;
  });
}

function dueKey({ statementDate, period }: SettlementRun): string {
  return `${statementDate} ${period.marketService} ${period.from}`;
}

/** What the calendar makes due until today, oldest first. A later today only adds at the end. */
export function publicationsUntil(calendar: readonly SettlementRun[], today: MarketDate): DuePublication[] {
  return calendar
    .flatMap((run): DuePublication[] => [
      { kind: 'statement', run, due: run.statementDate },
      { kind: 'invoice', run, due: run.invoiceDate },
    ])
    .filter(({ due }) => due <= today)
    .sort((a, b) => compare(a.due, b.due));
}

function runOf(rule: RunRule, period: Period): SettlementRun {
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
