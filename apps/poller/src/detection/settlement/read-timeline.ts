import {
  designationOfRun,
  designationsOf,
  type Cycle,
  type Run,
  type SettlementCycleTimeline,
} from '@ssb/market';
import type { Unreadable } from '../detection.js';
import { isUnicode, NOT_UNICODE } from '../digest.js';
import { cycleId, runId, type SettlementRun } from './runs.js';

/** What a timeline lists, as far as it can be read. */
export interface TimelineReading {
  /** In the order of the timeline. A run that is listed twice is listed once, with its last dates. */
  readonly runs: readonly SettlementRun[];
  readonly unreadable: readonly Unreadable[];
  /** Cycles of which every run can be read, by `cycleId`. */
  readonly completeCycles: ReadonlySet<string>;
}

interface CycleReading {
  readonly runs: readonly SettlementRun[];
  readonly unreadable: readonly Unreadable[];
  readonly isComplete: boolean;
}

/** @param omitted paths of the cycles and runs that the answer had and the timeline lacks, such as `data.cycles[2].runs[0]` */
export function readTimeline(
  { cycles }: SettlementCycleTimeline,
  omitted: readonly string[] = [],
): TimelineReading {
  const found = listWithPath('data.cycles', cycles ?? [], omitted).map(([cycle, path]) => ({
    id: cycleId(cycle),
    ...readCycle(cycle, path, omitted),
  }));
  const runs = new Map(found.flatMap(({ runs }) => runs.map((run) => [runId(run), run])));
  const incomplete = new Set(found.filter(({ isComplete }) => !isComplete).map(({ id }) => id));
  return {
    runs: [...runs.values()],
    unreadable: found.flatMap(({ unreadable }) => unreadable),
    completeCycles: new Set(found.map(({ id }) => id).filter((id) => !incomplete.has(id))),
  };
}

function readCycle(cycle: Cycle, path: string, omitted: readonly string[]): CycleReading {
  if (!isUnicode(cycle.period))
    return {
      runs: [],
      unreadable: [{ path: `${path}.period`, reason: NOT_UNICODE }],
      isComplete: false,
    };
  const listed = listWithPath(`${path}.runs`, cycle.runs ?? [], omitted);
  const runs = listed.flatMap(([run]) => toRun(cycle, run) ?? []);
  const unreadable = listed
    .filter(([run]) => toRun(cycle, run) === undefined)
    .map(([, runPath]) => ({ path: `${runPath}.designation`, reason: 'no-designation' }));
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

/** The items of a list with their paths in the answer, where those that were omitted have a place. */
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
