import {
  startOfDay,
  type Cycle,
  type Designation,
  type MarketDate,
  type SettlementCycleTimeline,
} from '@ssb/market';
import { nameOf, type Period } from './period.js';

/** One run of a settlement period, with the days that the timeline promises for it. */
export interface SettlementRun {
  period: Period;
  designation: Designation;
  /** When the process of the run starts; a STEM run has none (document 000, Run). */
  commencementDate?: MarketDate | undefined;
  statementDate: MarketDate;
  invoiceDate: MarketDate;
  settlementDate: MarketDate;
}

/** The brief form in which people and events name a run: `WEM/2026-03-01/INITIAL`. */
export function runKey({ period, designation }: SettlementRun): string {
  return `${period.marketService}/${period.from}/${designation}`;
}

/** The timeline of the runs: one cycle a period, in order of time (document 000, SettlementCycleTimeline). */
export function timelineOf(runs: readonly SettlementRun[]): SettlementCycleTimeline {
  const cycles = new Map<string, Cycle & { runs: NonNullable<Cycle['runs']> }>();
  for (const run of [...runs].sort((a, b) => (a.period.from < b.period.from ? -1 : 1))) {
    const { period } = run;
    const key = `${period.marketService} ${period.from}`;
    const cycle = cycles.get(key) ?? {
      period: nameOf(period),
      marketService: period.marketService,
      periodFrom: startOfDay(period.from),
      periodTo: startOfDay(period.to),
      runs: [],
    };
    cycle.runs.push({
      designation: run.designation,
      ...(run.commencementDate && { commencementDate: startOfDay(run.commencementDate) }),
      statementDate: startOfDay(run.statementDate),
      invoiceDate: startOfDay(run.invoiceDate),
      settlementDate: startOfDay(run.settlementDate),
    });
    cycles.set(key, cycle);
  }
  return { cycles: [...cycles.values()] };
}

/** The designation whose figures an adjustment adjusts; an initial run adjusts nothing. */
export function designationBefore(designation: Designation): Designation | undefined {
  switch (designation) {
    case 'INITIAL':
      return undefined;
    case 'ADJ1':
      return 'INITIAL';
    case 'ADJ2':
      return 'ADJ1';
    case 'ADJ3':
      return 'ADJ2';
  }
}
