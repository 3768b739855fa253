import { MAX_TIMELINE_CHANGES, TIMELINE_DATES, type Fact, type TimelineChange } from '@ssb/events';
import { addDays, dateOf, toMarketDate, type MarketDate, type SettlementCycleTimeline } from '@ssb/market';
import type { Detected, DetectionContext } from '../detection.js';
import { digestFigures } from '../digest.js';
import { readTimeline, type TimelineReading } from './read-timeline.js';
import { cycleId, runId, runProperties, type SettlementRun } from './runs.js';
import { NEW_TIMELINE, type TimelineState } from './states.js';

/** Three years of every market and designation are about 1,000 runs. Above it, only the latest invoice days are compared. */
export const MAX_TIMELINE_RUNS = 1_000;

/** The invoice days of a request, both included. */
export interface InvoiceDays {
  readonly from: MarketDate;
  readonly to: MarketDate;
}

/**
 * Decides timeline.changed. The first timeline with runs is no change, and neither is a run that enters or leaves the window.
 *
 * @param omitted paths of the cycles and runs of the answer that were unreadable and left out
 * @param window the requested invoice days
 */
export function detectTimeline(
  previous: TimelineState | undefined,
  answer: SettlementCycleTimeline,
  omitted: readonly string[],
  window: InvoiceDays,
  { now }: DetectionContext,
): Detected<TimelineState> {
  const state = previous ?? NEW_TIMELINE;
  const reading = readTimeline(answer, omitted);
  const { runs: served, unreadable } = reading;
  const isComplete = omitted.length + unreadable.length === 0;
  const removed = listRemoved(state, reading, window, isComplete);
  const changes = isEmpty(state) ? [] : listChanges(state, served, removed, window);
  const vanished = listVanished(state, served, removed, toMarketDate(now));
  const next = {
    ...nextState(state, served, removed, window, isComplete),
    ...(vanished.length > 0 && { vanished }),
  };
  if (changes.length === 0) return { facts: [], state: next, unreadable };
  const revision = state.revision + 1;
  const fact: Fact = {
    type: 'settlementbus.timeline.changed.v1',
    data: {
      changes: changes.slice(0, MAX_TIMELINE_CHANGES),
      count: changes.length,
      revision,
      digest: digestFigures(changes),
    },
  };
  return { facts: [fact], state: { ...next, revision }, unreadable };
}

/** No run was seen yet: the operator had none, or this is the first answer. */
function isEmpty({ runs, vanished, revision }: TimelineState): boolean {
  return runs.length === 0 && vanished === undefined && revision === 0;
}

/** Of an incomplete answer, only a cycle that is complete shows that a run of it is gone. */
function listRemoved(
  { window: knownWindow, runs }: TimelineState,
  { runs: served, completeCycles }: TimelineReading,
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
function listChanges(
  previous: TimelineState,
  served: readonly SettlementRun[],
  removed: readonly SettlementRun[],
  window: InvoiceDays,
): TimelineChange[] {
  const before = new Map(previous.runs.map((run) => [runId(run), run]));
  const gone = new Set(removed.map(runId));
  const now = new Map(served.map((run) => [runId(run), run]));
  const vanished = new Map((previous.vanished ?? []).map((run) => [runId(run), run]));
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((key): TimelineChange[] => {
    const [old, run] = [before.get(key), now.get(key)];
    if (old !== undefined && run !== undefined) return listMoves(old, run);
    if (run !== undefined) return listAppearance(previous, run, vanished.get(key), window);
    return old !== undefined && gone.has(key) ? [{ kind: 'removed', ...runProperties(old) }] : [];
  });
}

/** @param last the run as it was before it was stated as removed: its last known dates are compared */
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

/** Those that were stated as removed, now or before, until their last known date has passed. */
function listVanished(
  { vanished = [] }: TimelineState,
  served: readonly SettlementRun[],
  removed: readonly SettlementRun[],
  today: MarketDate,
): SettlementRun[] {
  const keys = new Set(served.map(runId));
  const absent = [...vanished, ...removed].filter((run) => !keys.has(runId(run)));
  const open = absent.filter((run) =>
    TIMELINE_DATES.some((name) => run[name] !== undefined && dateOf(run[name]) >= today),
  );
  return sortRuns(open).slice(-MAX_TIMELINE_RUNS);
}

/** Whether the invoice day of a run was requested before and is requested now. Only then an absent run came or went. */
function isInBoth(
  { window: known }: Pick<TimelineState, 'window'>,
  window: InvoiceDays,
  run: SettlementRun,
): boolean {
  return isIn(window, run) && known !== undefined && isIn(known, run);
}

function listMoves(old: SettlementRun, run: SettlementRun): TimelineChange[] {
  return TIMELINE_DATES.flatMap((date): TimelineChange[] => {
    const [from, to] = [old[date], run[date]];
    return from === to ? [] : [{ kind: 'moved', ...runProperties(run), date, from, to }];
  });
}

/** After an incomplete answer the window stays that of the last complete one: a run of another day is no addition later. */
function nextState(
  { window: knownWindow, runs: known, revision, version }: TimelineState,
  served: readonly SettlementRun[],
  removed: readonly SettlementRun[],
  window: InvoiceDays,
  isComplete: boolean,
): TimelineState {
  if (isComplete) return limitRuns({ version, window, runs: sortRuns(served), revision });
  const keys = new Set([...served, ...removed].map(runId));
  const kept = known.filter((run) => !keys.has(runId(run)) && dateOf(run.invoiceDate) >= window.from);
  const from = knownWindow && (knownWindow.from > window.from ? knownWindow.from : window.from);
  const to = knownWindow && (knownWindow.to < window.to ? knownWindow.to : window.to);
  const days = from !== undefined && to !== undefined && { window: { from, to } };
  return limitRuns({ version, ...days, runs: sortRuns([...kept, ...served]), revision });
}

/** Drops the earliest invoice days, as whole days, and narrows the window to the rest. */
function limitRuns(state: TimelineState): TimelineState {
  const { window, runs } = state;
  const lastDropped = runs[runs.length - MAX_TIMELINE_RUNS - 1];
  if (lastDropped === undefined) return state;
  const from = addDays(dateOf(lastDropped.invoiceDate), 1);
  return {
    ...state,
    ...(window && { window: { ...window, from: from > window.from ? from : window.from } }),
    runs: runs.filter((run) => dateOf(run.invoiceDate) >= from),
  };
}

function sortRuns(runs: readonly SettlementRun[]): SettlementRun[] {
  const keyOf = (run: SettlementRun): string => `${dateOf(run.invoiceDate)}|${runId(run)}`;
  return [...runs].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function isIn({ from, to }: InvoiceDays, { invoiceDate }: SettlementRun): boolean {
  const day = dateOf(invoiceDate);
  return from <= day && day <= to;
}
