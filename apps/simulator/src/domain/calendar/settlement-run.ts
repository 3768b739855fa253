import { createHash } from 'node:crypto';
import {
  startOfDay,
  type Cycle,
  type Designation,
  type MarketDate,
  type SettlementCycleTimeline,
} from '@ssb/market';
import { formatPeriodName, type Period } from './period.js';

/** The variables of a statement, as a scenario gives them. */
export interface GivenFigures {
  readonly variables: readonly GivenVariable[];
  /** Number of further variables on the first day, each a charge of 1.00. They make a statement as large as the largest ones. */
  readonly further: number;
}

export interface GivenVariable {
  /** Counted from the first day of the period. */
  readonly periodDay: number;
  readonly variable: string;
  readonly pOrC: 'P' | 'C';
  readonly gstApplicable: 'Y' | 'N';
  readonly value: string;
}

/** A run of a settlement period, with its days in the timeline. */
export interface SettlementRun {
  period: Period;
  designation: Designation;
  /** The start of the run's process; a STEM run has none (document 000, Run). */
  commencementDate?: MarketDate | undefined;
  statementDate: MarketDate;
  invoiceDate: MarketDate;
  settlementDate: MarketDate;
  /** Paid and charged on the first trading day, so it cancels out; shows that all digits of a decimal(23,8) arrive. */
  controlFigure?: string | undefined;
  /** In place of the figures that follow from the seed. */
  figures?: GivenFigures | undefined;
  /** The number of revisions. Each one changes the figures as an adjustment does. */
  revision?: number | undefined;
}

/** `WEM/2026-03-01/INITIAL`, as in the subjects of the bridge's events. */
export function runKey({ period, designation }: SettlementRun): string {
  return `${period.marketService}/${period.from}/${designation}`;
}

/**
 * The timeline of the runs: one cycle a period, in order of time (document 000, SettlementCycleTimeline).
 * @param periods of cycles that are there even without a run
 */
export function buildTimeline(runs: readonly SettlementRun[]): SettlementCycleTimeline {
  const cycles = new Map<string, Cycle & { runs: NonNullable<Cycle['runs']> }>();
  const periods = runs.map(({ period }) => period).sort((a, b) => (a.from < b.from ? -1 : 1));
  for (const period of periods) {
    cycles.set(cycleKey(period), {
      period: formatPeriodName(period),
      marketService: period.marketService,
      periodFrom: startOfDay(period.from),
      periodTo: startOfDay(period.to),
      runs: [],
    });
  }
  for (const run of runs) {
    cycles.get(cycleKey(run.period))?.runs.push({
      designation: run.designation,
      ...(run.commencementDate && { commencementDate: startOfDay(run.commencementDate) }),
      statementDate: startOfDay(run.statementDate),
      invoiceDate: startOfDay(run.invoiceDate),
      settlementDate: startOfDay(run.settlementDate),
    });
  }
  return { cycles: [...cycles.values()] };
}

function cycleKey({ marketService, from }: Period): string {
  return `${marketService} ${from}`;
}

/** 0 for INITIAL, 1 for ADJ1, and so on. */
export function getAdjustmentNumber(designation: Designation): number {
  return designation === 'INITIAL' ? 0 : Number(designation.slice(-1));
}

/** The run that an adjustment adjusts; undefined for an initial run. */
export function getAdjustedRun(run: SettlementRun): SettlementRun | undefined {
  const designation = getPreviousDesignation(run.designation);
  return designation && { ...run, designation, revision: undefined };
}

export function getPreviousDesignation(designation: Designation): Designation | undefined {
  const BEFORE = { INITIAL: undefined, ADJ1: 'INITIAL', ADJ2: 'ADJ1', ADJ3: 'ADJ2' } as const;
  return BEFORE[designation];
}

/** An invoice id has at most 20 characters (document 000, SettlementInvoice); `-260301-W0` takes ten. */
const MAX_CODE_LENGTH = 10;

/** `WPGENCO-260301-W0`: participant, period and adjustment. It is unique per participant. */
export function buildInvoiceId(participant: string, { period, designation }: SettlementRun): string {
  const from = period.from.slice(2).replaceAll('-', '');
  const service = period.marketService.slice(0, 1);
  return `${shortenCode(participant)}-${from}-${service}${getAdjustmentNumber(designation)}`;
}

/** Shortens a long code to its beginning and six digits of its SHA-256. */
function shortenCode(participant: string): string {
  const characters = [...participant];
  if (characters.length <= MAX_CODE_LENGTH) return participant;
  const digits = createHash('sha256').update(participant).digest('hex').slice(0, 6);
  return `${characters.slice(0, MAX_CODE_LENGTH - digits.length - 1).join('')}~${digits}`;
}
