import { TIMELINE_DATES } from '@ssb/events';
import {
  designationOfRun,
  designationsOf,
  type Cycle,
  type Run,
  type SettlementCycleTimeline,
} from '@ssb/market';
import type { Unreadable } from '../detection.js';
import { contentName, isUnicode, NOT_UNICODE } from '../digest.js';
import { cycleId, runId, type SettlementRun } from '../settlement/runs.js';

/** What a timeline lists, as far as it can be read. */
export interface TimelineReading {
  /** Each run once. */
  readonly runs: readonly SettlementRun[];
  readonly unreadable: readonly Unreadable[];
  /** Runs that are listed with different dates. */
  readonly contradictions: readonly Unreadable[];
  /** Cycles of which every run can be read, by `cycleId`. */
  readonly completeCycles: ReadonlySet<string>;
}

interface CycleReading {
  readonly runs: readonly SettlementRun[];
  readonly unreadable: readonly Unreadable[];
  readonly isComplete: boolean;
}

/** Identifies a cycle or a run of the timeline that cannot be read: by its names, or by its content where it has none. */
export function cycleDocument(cycle: unknown, run?: unknown): string {
  const [market, from] = [textOf(cycle, 'marketService', NAME), textOf(cycle, 'periodFrom', DATE_TIME)];
  if (market === undefined || from === undefined) return contentName(CYCLE, cycle);
  const name = `${CYCLE} ${market} ${from.slice(0, 10)}`;
  if (run === undefined) return name;
  const [designation, day] = [textOf(run, 'designation', NAME), textOf(run, 'invoiceDate', DATE_TIME)];
  if (designation === undefined && day === undefined) return `${name} ${contentName('run', run)}`;
  return [name, 'run', designation, day?.slice(0, 10)].filter((part) => part !== undefined).join(' ');
}

/** Whether a document is part of the timeline. */
export function isOfTimeline(document: string): boolean {
  return document.startsWith(`${CYCLE} `);
}

const CYCLE = 'cycle';
const NAME = /^[A-Z\d]{1,20}$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T\d:.]{0,20}$/;

function textOf(item: unknown, name: string, form: RegExp): string | undefined {
  const value = (item as Readonly<Record<string, unknown>> | null)?.[name];
  return typeof value === 'string' && form.test(value) ? value : undefined;
}

/**
 * The order of cycles and runs has no meaning, so it does not count.
 *
 * @param omitted paths of the cycles and runs that the response had and the timeline lacks, such as `data.cycles[2].runs[0]`
 * @param known what is known of the runs; of different dates of a run, these are read
 */
export function readTimeline(
  { cycles }: SettlementCycleTimeline,
  omitted: readonly string[] = [],
  known: readonly SettlementRun[] = [],
): TimelineReading {
  const found = listWithPath('data.cycles', cycles ?? [], omitted).map(([cycle, path]) => ({
    id: cycleId(cycle),
    ...readCycle(cycle, path, omitted),
  }));
  const { runs, contradictions } = selectRuns(
    found.flatMap(({ runs }) => runs),
    known,
  );
  const incomplete = new Set(found.filter(({ isComplete }) => !isComplete).map(({ id }) => id));
  return {
    runs,
    unreadable: found.flatMap(({ unreadable }) => unreadable),
    contradictions,
    completeCycles: new Set(found.map(({ id }) => id).filter((id) => !incomplete.has(id))),
  };
}

/** Selects one of the entries of a run that is listed more than once. */
function selectRuns(
  all: readonly SettlementRun[],
  known: readonly SettlementRun[],
): Pick<TimelineReading, 'runs' | 'contradictions'> {
  const listed = new Map<string, SettlementRun[]>();
  for (const run of all) {
    const others = listed.get(runId(run));
    if (others === undefined) listed.set(runId(run), [run]);
    else others.push(run);
  }
  if (listed.size === all.length) return { runs: all, contradictions: [] };
  const knownDates = new Map(known.map((run) => [runId(run), datesOf(run)]));
  const contradictory = [...listed].filter(([, runs]) => new Set(runs.map(datesOf)).size > 1);
  return {
    runs: [...listed].flatMap(([key, runs]) => selectRun(runs, knownDates.get(key))),
    contradictions: contradictory
      .map(([key]) => key)
      .sort()
      .map((key) => ({ path: `data.cycles[${key}]`, reason: 'contradictory-dates' })),
  };
}

/** The run with the known dates, otherwise the run with the earliest dates, which is requested in time. */
function selectRun(runs: readonly SettlementRun[], knownDates: string | undefined): SettlementRun {
  const keyOf = (run: SettlementRun): string => {
    const dates = datesOf(run);
    return `${dates === knownDates ? 0 : 1}|${dates}|${run.period}`;
  };
  return runs.reduce((first, run) => (keyOf(run) < keyOf(first) ? run : first));
}

function datesOf(run: SettlementRun): string {
  return TIMELINE_DATES.map((name) => run[name] ?? '').join('|');
}

function readCycle(cycle: Cycle, path: string, omitted: readonly string[]): CycleReading {
  if (!isUnicode(cycle.period))
    return {
      runs: [],
      unreadable: [{ path: `${path}.period`, reason: NOT_UNICODE, document: cycleDocument(cycle) }],
      isComplete: false,
    };
  const listed = listWithPath(`${path}.runs`, cycle.runs ?? [], omitted);
  const runs = listed.flatMap(([run]) => toRun(cycle, run) ?? []);
  const unreadable = listed
    .filter(([run]) => toRun(cycle, run) === undefined)
    .map(([run, runPath]) => ({
      path: `${runPath}.designation`,
      reason: 'no-designation',
      document: cycleDocument(cycle, run),
    }));
  const hasOmitted = omitted.some((each) => each.startsWith(`${path}.`));
  return { runs, unreadable, isComplete: unreadable.length === 0 && !hasOmitted };
}

/** Undefined without a designation of its market. */
function toRun(cycle: Cycle, run: Run): SettlementRun | undefined {
  const { marketService, period, periodFrom, periodTo } = cycle;
  const designation = designationOfRun(marketService, run);
  if (designation === undefined || !designationsOf(marketService).includes(designation)) return undefined;
  const { commencementDate, statementDate, invoiceDate, settlementDate } = run;
  return {
    marketService,
    period,
    periodFrom,
    periodTo,
    designation,
    ...(commencementDate != null && { commencementDate }),
    statementDate,
    invoiceDate,
    settlementDate,
  };
}

/** The items of a list with their paths in the response, where those that were omitted have a place. */
function listWithPath<Item>(
  list: string,
  items: readonly Item[],
  omitted: readonly string[],
): (readonly [Item, path: string])[] {
  const missing = new Set(omitted);
  let index = -1;
  return items.map((item) => {
    do index += 1;
    while (missing.has(`${list}[${index}]`));
    return [item, `${list}[${index}]`];
  });
}
