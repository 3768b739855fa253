import {
  addDays,
  dateOf,
  toInstant,
  type Designation,
  type MarketDate,
  type MarketDateTime,
  type MarketService,
} from '@ssb/market';

/** One run of the timeline: an initial settlement or an adjustment of a period. */
export interface SettlementRun {
  readonly marketService: MarketService;
  /** Name of the trading week or month. */
  readonly period: string;
  readonly periodFrom: MarketDateTime;
  readonly periodTo: MarketDateTime;
  readonly designation: Designation;
  /** A STEM run has none. */
  readonly commencementDate?: MarketDateTime;
  readonly statementDate: MarketDateTime;
  readonly invoiceDate: MarketDateTime;
  readonly settlementDate: MarketDateTime;
}

/** What names a run. */
export type RunNames = Pick<SettlementRun, 'marketService' | 'periodFrom' | 'designation'>;

/** The key of a run: `WEM|2026-02-22|INITIAL`. */
export function runId({ marketService, periodFrom, designation }: RunNames): string {
  return `${marketService}|${dateOf(periodFrom)}|${designation}`;
}

/** The key of a cycle: `WEM|2026-02-22`. */
export function cycleId({ marketService, periodFrom }: Omit<RunNames, 'designation'>): string {
  return `${marketService}|${dateOf(periodFrom)}`;
}

const EARLIER: Readonly<Record<Designation, Designation | undefined>> = {
  INITIAL: undefined,
  ADJ1: 'INITIAL',
  ADJ2: 'ADJ1',
  ADJ3: 'ADJ2',
};

/** The run that this one adjusts, with the dates of this one; undefined for an initial run. */
export function earlierRun(run: SettlementRun): SettlementRun | undefined {
  const designation = EARLIER[run.designation];
  return designation && { ...run, designation };
}

/** A run that is not in the timeline. Its invoice is known, so only its names count. */
function unlistedRun(names: RunNames): SettlementRun {
  const { periodFrom: date } = names;
  return {
    ...names,
    period: '',
    periodTo: date,
    statementDate: date,
    invoiceDate: date,
    settlementDate: date,
  };
}

/** The run of a known invoice, also when the timeline lacks it. */
export function runOfInvoice(
  {
    market: marketService,
    periodFrom,
    designation,
  }: Omit<RunNames, 'marketService'> & { readonly market: MarketService },
  runs: readonly SettlementRun[],
): SettlementRun {
  const names = { marketService, periodFrom, designation };
  return runs.find((run) => runId(run) === runId(names)) ?? unlistedRun(names);
}

/** What the events of a run have in common. */
export function runProperties({ marketService, designation, period, periodFrom, periodTo }: SettlementRun) {
  return { marketService, designation, period, periodFrom, periodTo };
}

/** Midnight at the end of a market day. */
export function endOfDay(day: MarketDate): Date {
  return toInstant(addDays(day, 1));
}
