import { TIMELINE_DATES, type TimelineChange } from '@ssb/events';
import { isIn, type InvoiceDays } from './limit-runs.js';
import type { TimelineReading } from './read-timeline.js';
import { cycleId, runId, runProperties, type SettlementRun } from '../settlement/runs.js';
import type { TimelineState } from '../settlement/states.js';

/** What a response says about the runs of the state. */
export interface ServedRuns {
  readonly runs: readonly SettlementRun[];
  /** Runs of the state that are gone. */
  readonly removed: readonly SettlementRun[];
  /** Invoice days whose runs are all known. */
  readonly window: InvoiceDays;
}

/** The changes of one run. */
export interface RunChanges {
  /** As `runId`. */
  readonly key: string;
  readonly changes: readonly TimelineChange[];
}

/** In an incomplete response, only a complete cycle shows that one of its runs is gone. */
export function listRemoved(
  { window: knownWindow, runs }: TimelineState,
  served: readonly SettlementRun[],
  completeCycles: TimelineReading['completeCycles'],
  window: InvoiceDays,
  isComplete: boolean,
): SettlementRun[] {
  const keys = new Set(served.map(runId));
  return runs.filter(
    (run) =>
      !keys.has(runId(run)) &&
      (isComplete || completeCycles.has(cycleId(run))) &&
      isInBoth({ window: knownWindow }, window, run),
  );
}

/** In the order of market service, period and designation. */
export function listChanges(previous: TimelineState, { runs, removed, window }: ServedRuns): RunChanges[] {
  const before = new Map(previous.runs.map((run) => [runId(run), run]));
  const gone = new Set(removed.map(runId));
  const now = new Map(runs.map((run) => [runId(run), run]));
  const vanished = new Map((previous.vanished ?? []).map((run) => [runId(run), run]));
  const changesOf = (key: string): TimelineChange[] => {
    const [old, run] = [before.get(key), now.get(key)];
    if (old !== undefined && run !== undefined) return listMoves(old, run);
    if (run !== undefined) return listAppearance(previous, run, vanished.get(key), window);
    return old !== undefined && gone.has(key) ? [{ kind: 'removed', ...runProperties(old) }] : [];
  };
  return [...new Set([...before.keys(), ...now.keys()])]
    .sort()
    .map((key) => ({ key, changes: changesOf(key) }))
    .filter(({ changes }) => changes.length > 0);
}

/** @param last the run as it was before its removal was announced: its last known dates are compared */
function listAppearance(
  previous: TimelineState,
  run: SettlementRun,
  last: SettlementRun | undefined,
  window: InvoiceDays,
): TimelineChange[] {
  const moves = last === undefined ? [] : listMoves(last, run);
  if (moves.length > 0) return moves;
  const isAdded = last !== undefined || isInBoth(previous, window, run);
  return isAdded ? [{ kind: 'added', ...runProperties(run) }] : [];
}

function listMoves(old: SettlementRun, run: SettlementRun): TimelineChange[] {
  return TIMELINE_DATES.flatMap((date): TimelineChange[] => {
    const [from, to] = [old[date], run[date]];
    return from === to ? [] : [{ kind: 'moved', ...runProperties(run), date, from, to }];
  });
}

/** Whether the invoice day of a run was requested before and is requested now. Only then an absent run came or went. */
function isInBoth(
  { window: known }: Pick<TimelineState, 'window'>,
  window: InvoiceDays,
  run: SettlementRun,
): boolean {
  return isIn(window, run) && known !== undefined && isIn(known, run);
}
