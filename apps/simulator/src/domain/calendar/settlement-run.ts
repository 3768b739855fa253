import { createHash } from 'node:crypto';
import {
  startOfDay,
  type Cycle,
  type Designation,
  type MarketDate,
  type SettlementCycleTimeline,
} from '@ssb/market';
import { nameOf, type Period } from './period.js';

/** One run of a settlement period, with the days that the timeline announces for it. */
export interface SettlementRun {
  period: Period;
  designation: Designation;
  /** When the process of the run starts; a STEM run has none (document 000, Run). */
  commencementDate?: MarketDate | undefined;
  statementDate: MarketDate;
  invoiceDate: MarketDate;
  settlementDate: MarketDate;
  /** A payment and a charge of the first trading day that cancel out; tests that all 23 digits of a decimal(23,8) arrive. */
  controlFigure?: string | undefined;
  /** How often the run was revised; each revision moves its figures as an adjustment does. */
  revision?: number | undefined;
}

/** `WEM/2026-03-01/INITIAL`, as in the subjects of the bridge's events. */
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

/** How many adjustments precede and include the run: 0 for INITIAL. */
export function adjustmentNumber(designation: Designation): number {
  return designation === 'INITIAL' ? 0 : Number(designation.slice(-1));
}

/** The run that an adjustment adjusts, its control figure included; undefined for an initial run. */
export function adjustedRun(run: SettlementRun): SettlementRun | undefined {
  const designation = designationBefore(run.designation);
  return designation && { ...run, designation, revision: undefined };
}

export function designationBefore(designation: Designation): Designation | undefined {
  const BEFORE = { INITIAL: undefined, ADJ1: 'INITIAL', ADJ2: 'ADJ1', ADJ3: 'ADJ2' } as const;
  return BEFORE[designation];
}

/** What remains of the 20 characters of an invoice id (document 000, SettlementInvoice) beside `-260301-W0`. */
const MAX_CODE_LENGTH = 10;

/** `WPGENCO-260301-W0`: participant, period and adjustment. No two participants share an id. */
export function invoiceIdOf(participant: string, { period, designation }: SettlementRun): string {
  const from = period.from.slice(2).replaceAll('-', '');
  const service = period.marketService.slice(0, 1);
  return `${shortCodeOf(participant)}-${from}-${service}${adjustmentNumber(designation)}`;
}

/** The code itself, or the beginning of a longer one with six digits of its SHA-256. */
function shortCodeOf(participant: string): string {
  const characters = [...participant];
  if (characters.length <= MAX_CODE_LENGTH) return participant;
  const digits = createHash('sha256').update(participant).digest('hex').slice(0, 6);
  return `${characters.slice(0, MAX_CODE_LENGTH - digits.length - 1).join('')}~${digits}`;
}
