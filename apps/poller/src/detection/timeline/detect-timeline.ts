import { MAX_TIMELINE_CHANGES, TIMELINE_DATES, type Fact, type TimelineChange } from '@ssb/events';
import { dateOf, toMarketDate, type MarketDate, type SettlementCycleTimeline } from '@ssb/market';
import {
  describeSurplus,
  type Detected,
  type DetectionContext,
  type LeftOut,
  type Unreadable,
} from '../detection.js';
import { digestFigures } from '../digest.js';
import { limitRuns, MAX_TIMELINE_RUNS, sortRuns, type InvoiceDays } from './limit-runs.js';
import { readTimeline } from './read-timeline.js';
import { holdReturns } from './returning-runs.js';
import { runId, type SettlementRun } from '../settlement/runs.js';
import { NEW_TIMELINE, type TimelineState } from '../settlement/states.js';
import { listRemoved, type ServedRuns } from './timeline-changes.js';

/** A timeline of some months always has runs. Time for an operator to load a new participant. */
const MAX_EMPTY_MS = 24 * 3_600_000;

/**
 * Detects timeline.changed. The first timeline with runs is not a change, nor is a run that enters or leaves the window.
 *
 * @param omitted paths of the cycles and runs of the response that were unreadable and left out
 * @param requested the requested invoice days
 */
export function detectTimeline(
  previous: TimelineState | undefined,
  response: SettlementCycleTimeline,
  omitted: readonly string[],
  requested: InvoiceDays,
  { now }: DetectionContext,
): Detected<TimelineState> {
  const state = previous ?? NEW_TIMELINE;
  const today = toMarketDate(now);
  const reading = readTimeline(response, omitted, state.runs);
  const isComplete = omitted.length + reading.unreadable.length === 0;
  const { runs, window, leftOut } = limitRuns(reading.runs, requested, today);
  const removed = listRemoved(state, runs, reading.completeCycles, window, isComplete);
  const held = holdReturns(state, { runs, removed, window }, now);
  const changes = isEmpty(state) ? [] : held.changes.flatMap((each) => each.changes);
  const vanished = listVanished(state, held.served, today);
  const known = nextRuns(state, held.served, isComplete, today);
  const emptySince = findEmptySince(state, reading.runs.length === 0, isComplete, now);
  const next: TimelineState = {
    version: state.version,
    ...known.state,
    ...(emptySince !== undefined && { emptySince }),
    ...(vanished.length > 0 && { vanished: vanished.slice(-MAX_TIMELINE_RUNS) }),
    ...(held.alternating && { alternating: held.alternating }),
    ...(!isEmpty(state) && held.announced && { announced: held.announced }),
    revision: changes.length === 0 ? state.revision : state.revision + 1,
  };
  return {
    facts: changes.length === 0 ? [] : [createFact(changes, next.revision)],
    state: next,
    unreadable: [
      ...reading.unreadable,
      ...reading.contradictions,
      ...listAlternating(next),
      ...describeEmpty(next, now),
    ],
    leftOut: [
      ...(known.leftOut.length > 0 ? known.leftOut : leftOut),
      ...describeSurplus('changes of the timeline', changes.length, MAX_TIMELINE_CHANGES),
      ...(isEmpty(state) ? [] : held.leftOut),
      ...describeSurplus('removed runs of the timeline', vanished.length, MAX_TIMELINE_RUNS),
    ],
  };
}

function createFact(changes: readonly TimelineChange[], revision: number): Fact {
  return {
    type: 'settlementbus.timeline.changed.v1',
    data: {
      changes: changes.slice(0, MAX_TIMELINE_CHANGES),
      count: changes.length,
      revision,
      digest: digestFigures(changes),
    },
  };
}

/** No run was seen yet: the operator had none, or this is the first response. */
function isEmpty({ runs, vanished, revision }: TimelineState): boolean {
  return runs.length === 0 && vanished === undefined && revision === 0;
}

/** Since when complete responses have no run. It begins again when the clock was set back to before it. */
function findEmptySince(
  { emptySince }: TimelineState,
  isEmptyResponse: boolean,
  isComplete: boolean,
  now: Date,
): string | undefined {
  if (!isEmptyResponse) return undefined;
  if (emptySince !== undefined && Date.parse(emptySince) <= now.getTime()) return emptySince;
  return isComplete ? now.toISOString() : undefined;
}

function describeEmpty({ emptySince }: TimelineState, now: Date): Unreadable[] {
  const isLong = emptySince !== undefined && now.getTime() - Date.parse(emptySince) > MAX_EMPTY_MS;
  return isLong ? [{ path: 'data.cycles', reason: `has had no run since ${emptySince}` }] : [];
}

/** The runs that were announced as removed, now or before, until their last known date has passed. */
function listVanished(
  { vanished = [] }: TimelineState,
  { runs, removed }: ServedRuns,
  today: MarketDate,
): SettlementRun[] {
  const keys = new Set(runs.map(runId));
  const absent = [...vanished, ...removed].filter((run) => !keys.has(runId(run)));
  return sortRuns(
    absent.filter((run) =>
      TIMELINE_DATES.some((name) => run[name] !== undefined && dateOf(run[name]) >= today),
    ),
  );
}

interface KnownRuns {
  readonly state: Pick<TimelineState, 'window' | 'runs'>;
  readonly leftOut: readonly LeftOut[];
}

/** After an incomplete response the window stays that of the last complete one: a run of another day is not an addition later. */
function nextRuns(
  { window: knownWindow, runs: known }: TimelineState,
  { runs: served, removed, window }: ServedRuns,
  isComplete: boolean,
  today: MarketDate,
): KnownRuns {
  if (isComplete) return { state: { window, runs: sortRuns(served) }, leftOut: [] };
  const keys = new Set([...served, ...removed].map(runId));
  const kept = known.filter((run) => !keys.has(runId(run)) && dateOf(run.invoiceDate) >= window.from);
  const both = knownWindow && {
    from: knownWindow.from > window.from ? knownWindow.from : window.from,
    to: knownWindow.to < window.to ? knownWindow.to : window.to,
  };
  const { runs, leftOut, ...limited } = limitRuns([...kept, ...served], both ?? window, today);
  return { state: { ...(both && { window: limited.window }), runs }, leftOut };
}

function listAlternating({ alternating = [] }: TimelineState): Unreadable[] {
  return alternating.map(({ run }) => ({ path: `data.cycles[${run}]`, reason: 'alternating-dates' }));
}
