import { MAX_TIMELINE_CHANGES, TIMELINE_DATES, type Fact, type TimelineChange } from '@ssb/events';
import { addDays, dateOf, toMarketDate, type MarketDate, type SettlementCycleTimeline } from '@ssb/market';
import type { Detected, DetectionContext } from '../detection.js';
import { digestOf } from '../digest.js';
import { NOT_UNICODE, nothingNew, unreadable } from './publication.js';
import { listRuns, runId, runProperties, type SettlementRun } from './runs.js';
import { NEW_TIMELINE, type TimelineState } from './states.js';

/** Three years of every market and designation are about 1,000 runs. Above it, only the latest invoice days are compared. */
export const MAX_TIMELINE_RUNS = 1_000;

/** The invoice days of a request, both included. */
export interface InvoiceDays {
  readonly from: MarketDate;
  readonly to: MarketDate;
}

/**
 * Decides timeline.changed. The first timeline is no change, and neither is a run that enters or leaves the window. A run that was removed
 * and comes back is compared with its last known dates.
 *
 * @param window the requested invoice days
 * @param complete false when some cycles of the answer were unreadable: then no run counts as removed, and the runs of those cycles are kept
 */
export function detectTimeline(
  previous: TimelineState | undefined,
  answer: SettlementCycleTimeline,
  window: InvoiceDays,
  complete: boolean,
  { now }: DetectionContext,
): Detected<TimelineState> {
  const state = previous ?? NEW_TIMELINE;
  const served = listRuns(answer);
  const changes = previous === undefined ? [] : listChanges(previous, served, window, complete);
  const digest = digestOf(changes);
  if (digest === undefined) return unreadable(state, '', NOT_UNICODE);
  const vanished = listVanished(state, served, window, complete, toMarketDate(now));
  const next = { ...nextState(state, served, window, complete), ...(vanished.length > 0 && { vanished }) };
  if (changes.length === 0) return nothingNew(next);
  const revision = state.revision + 1;
  const fact: Fact = {
    type: 'settlementbus.timeline.changed.v1',
    data: { changes: changes.slice(0, MAX_TIMELINE_CHANGES), count: changes.length, revision, digest },
  };
  return { facts: [fact], state: { ...next, revision }, unreadable: [] };
}

/** In the order of market service, period and designation. */
function listChanges(
  previous: TimelineState,
  served: readonly SettlementRun[],
  window: InvoiceDays,
  complete: boolean,
): TimelineChange[] {
  const before = new Map(previous.runs.map((run) => [runId(run), run]));
  const now = new Map(served.map((run) => [runId(run), run]));
  const vanished = new Map((previous.vanished ?? []).map((run) => [runId(run), run]));
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((key): TimelineChange[] => {
    const [old, run] = [before.get(key), now.get(key)];
    if (old !== undefined && run !== undefined) return listMoves(old, run);
    if (run !== undefined) return listAppearance(previous, run, vanished.get(key), window);
    if (old === undefined || !complete || !isInBoth(previous, window, old)) return [];
    return [{ kind: 'removed', ...runProperties(old) }];
  });
}

/** @param last the run as it was before it was stated as removed */
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
  { window: knownWindow, runs, vanished = [] }: TimelineState,
  served: readonly SettlementRun[],
  window: InvoiceDays,
  complete: boolean,
  today: MarketDate,
): SettlementRun[] {
  const keys = new Set(served.map(runId));
  const removed = complete ? runs.filter((run) => isInBoth({ window: knownWindow }, window, run)) : [];
  const absent = [...vanished, ...removed].filter((run) => !keys.has(runId(run)));
  const open = absent.filter((run) =>
    TIMELINE_DATES.some((name) => run[name] !== undefined && dateOf(run[name]) >= today),
  );
  return sortRuns(open).slice(-MAX_TIMELINE_RUNS);
}

/** Whether the invoice day of a run was requested before and is requested now. Only then a run that is absent in one of them came or went. */
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
  window: InvoiceDays,
  complete: boolean,
): TimelineState {
  if (complete) return limitRuns({ version, window, runs: sortRuns(served), revision });
  const keys = new Set(served.map(runId));
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
