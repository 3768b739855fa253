import type { LeftOut } from '../detection.js';
import type { History } from './history.js';
import { MAX_TRANSITIONS, TOPICS, type Topic } from './levels/change.js';
import type { Levels } from './levels/levels.js';
import { MAX_DEEPER } from './levels/margin.js';
import type { PositionState } from './position-state.js';

/** How many deeper steps of a breach the bound left out between two decisions, those of a breach that still waits included. */
export function countDeeperSteps({ margin: after }: Levels, { margin: before }: Levels): number {
  const waiting = after.pending.reduce((sum, { leftOut = 0 }) => sum + leftOut, 0);
  return waiting + (after.leftOut ?? 0) - (before.leftOut ?? 0);
}

type Decided = Pick<PositionState, 'stated' | 'history' | 'deeperLeftOut'>;

/** What no event announces. */
export function listUnannounced(state: Decided): LeftOut[] {
  return [...listDeeperSteps(state), ...listUnchangeable(state)];
}

/** Steps of a breach that waited, in place of which a deeper one is announced. */
function listDeeperSteps({ deeperLeftOut: count = 0 }: Decided): LeftOut[] {
  const range = 'the deepest one is announced';
  return count === 0 ? [] : [{ what: 'deeper steps of a breach', count, kept: MAX_DEEPER, range }];
}

/** Levels that cannot change again before the next calculation: their events have no further number. */
function listUnchangeable({ stated, history }: Decided): LeftOut[] {
  const count = TOPICS.filter((topic) => {
    const last = stated[topic];
    return (
      last !== undefined && last.transition >= MAX_TRANSITIONS && last.position >= lastOf(topic, history)
    );
  }).length;
  const range = 'on one calculation; the next one decides these levels again';
  return count === 0
    ? []
    : [{ what: 'levels with further changes', count, kept: MAX_TRANSITIONS + 1, range }];
}

/** Position of the last calculation that can change the level. */
function lastOf(topic: Topic, { base, calculations }: History): string {
  const isForecast = topic === 'forecast-operator';
  const last = calculations.findLast((calculation) => isForecast || !calculation.isForecast);
  return last?.position ?? base.position;
}
