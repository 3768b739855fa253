import { continueAlternation, decideReturn, type Alternation } from '../settlement/alternation.js';
import { describeSurplus, type LeftOut } from '../detection.js';
import { digestFigures } from '../digest.js';
import { MAX_TIMELINE_RUNS } from './limit-runs.js';
import { runId, type SettlementRun } from '../settlement/runs.js';
import type { TimelineState } from '../settlement/states.js';
import { listChanges, type RunChanges, type ServedRuns } from './timeline-changes.js';

/** A later change of a run is not a return, because dates may move back. */
const RETURN_MS = 7 * 86_400_000;
/** Beyond these, the earliest are forgotten: a return is not recognised and its change is raised at once. */
const MAX_ANNOUNCED_CHANGES = 2 * MAX_TIMELINE_RUNS;
/** Enough to distinguish the changes of a week. */
const CHANGE_ID_LENGTH = 16;

type Returning = Pick<TimelineState, 'alternating' | 'announced'>;

export interface HeldReturns extends Returning {
  /** What is served without the changes that are held: their runs are as they were announced. */
  readonly served: ServedRuns;
  readonly changes: readonly RunChanges[];
  /** Recent changes that are forgotten. */
  readonly leftOut: readonly LeftOut[];
}

/** Holds the changes of runs that were announced in the last days, until their new version is stable. */
export function holdReturns(state: TimelineState, served: ServedRuns, now: Date): HeldReturns {
  const recent = (state.announced ?? []).filter(({ at }) => now.getTime() - Date.parse(at) < RETURN_MS);
  const known = new Set(recent.map(({ change }) => change));
  const before = new Map((state.alternating ?? []).map(({ run, ...rest }) => [run, rest]));
  const alternating = new Map<string, Alternation>();
  const isPresent = new Set([...served.runs, ...served.removed].map(runId));
  for (const [key, alternation] of before) {
    // A response without the run, and without its removal, says nothing about it.
    const next = isPresent.has(key) ? continueAlternation(alternation, now) : alternation;
    if (next !== undefined) alternating.set(key, next);
  }
  // A run that was not known, or is back, is requested at once.
  const listed = new Set(state.runs.map(runId));
  const all = listChanges(state, served).map((each) => ({ ...each, change: changeOf(each) }));
  const changes = all.filter(({ key, change }) => {
    if (!known.has(change) || !listed.has(key)) return true;
    const { alternation, isConfirmed } = decideReturn(before.get(key), change, now);
    alternating.set(key, alternation);
    return isConfirmed;
  });
  const raised = changes.map(({ change }) => ({ change, at: now.toISOString() }));
  const changed = new Set(changes.map(({ key }) => key));
  const held = new Set(all.map(({ key }) => key).filter((key) => !changed.has(key)));
  const latest = [...recent, ...raised];
  const announced = latest.slice(-MAX_ANNOUNCED_CHANGES);
  return {
    served: withoutHeld(state, served, held),
    changes,
    leftOut: describeSurplus('recent changes of runs', latest.length, MAX_ANNOUNCED_CHANGES),
    ...(alternating.size > 0 && {
      alternating: [...alternating].map(([run, alternation]) => ({ run, ...alternation })),
    }),
    ...(announced.length > 0 && { announced }),
  };
}

/** The runs whose changes are held are as in the state. */
function withoutHeld(
  { runs: known }: TimelineState,
  served: ServedRuns,
  held: ReadonlySet<string>,
): ServedRuns {
  if (held.size === 0) return served;
  const isHeld = (run: SettlementRun): boolean => held.has(runId(run));
  return {
    ...served,
    runs: [...served.runs.filter((run) => !isHeld(run)), ...known.filter(isHeld)],
    removed: served.removed.filter((run) => !isHeld(run)),
  };
}

function changeOf({ key, changes }: RunChanges): string {
  return digestFigures({ key, changes }).slice(0, CHANGE_ID_LENGTH);
}
