import { marginEventType, type Fact } from '@ssb/events';
import { eventIdOf, type DetectionContext } from '../detection.js';
import { MAX_TRANSITIONS, TOPICS, type Change, type StatedLevel, type Topic } from './levels/change.js';
import { addCorrection, decideHistory, type History, type PrunedHistory } from './history.js';
import { levelOf, type Levels } from './levels/levels.js';
import type { PositionState, RaisedEvent } from './position-state.js';

/** What a history decides that was not raised before. */
export interface NewChanges {
  readonly history: History;
  readonly levels: Levels;
  readonly changes: readonly Change[];
  readonly raised: PositionState['raised'];
  readonly stated: PositionState['stated'];
}

/**
 * Finds the changes that were not raised, and corrects a level that was stated and is not the level of the history. After calculations
 * became part of the base, drops the ids that cannot come again.
 */
export function findNewChanges(
  { history, changes: earlier, isPruned }: PrunedHistory,
  { raised, stated }: Pick<PositionState, 'raised' | 'stated'>,
  context: DetectionContext,
): NewChanges {
  const known = new Set(raised.map(({ id }) => id));
  const decide = (candidate: History): NewChanges => {
    const { levels, changes: later } = decideHistory(candidate, context.now);
    const fresh = [...earlier, ...later].filter((change) => !known.has(identify(change, context).id));
    const again = new Set(isPruned ? later.map((change) => identify(change, context).id) : []);
    return {
      history: candidate,
      levels,
      changes: fresh,
      raised: [...raised, ...fresh.map((change) => identify(change, context))].filter(
        ({ id, position }) => !isPruned || position > candidate.base.position || again.has(id),
      ),
      stated: latestStated(stated, fresh),
    };
  };
  return TOPICS.reduce((decided, topic) => {
    const last = findWrong(decided, topic);
    if (last === undefined || last.transition >= MAX_TRANSITIONS) return decided;
    const corrected = decide(addCorrection(decided.history, topic, last, context.now.toISOString()));
    // Without thresholds for the last calculation, nothing can be stated.
    return findWrong(corrected, topic) === undefined ? corrected : decided;
  }, decide(history));
}

export function toFact(change: Change): Fact {
  switch (change.topic) {
    case 'margin':
      return { type: marginEventType(change.data.previousLevel, change.data.level), data: change.data };
    case 'credit-support':
      return {
        type: `settlementbus.credit-support.${change.data.level === 'SHORT' ? 'short' : 'restored'}.v1`,
        data: change.data,
      };
    case 'forecast-operator':
    case 'forecast-trend':
      return {
        type: `settlementbus.margin.${change.data.level === 'FORECAST' ? 'breach-forecast' : 'forecast-cleared'}.v1`,
        data: change.data,
      };
  }
}

export function identify(change: Change, context: DetectionContext): RaisedEvent {
  return { id: eventIdOf(toFact(change), context), position: change.position };
}

/** The level that was stated last, when it is another than that of the history. */
function findWrong({ levels, stated }: NewChanges, topic: Topic): StatedLevel | undefined {
  const last = stated[topic];
  // After the clock was set back, a level that was stated waits again.
  const isPending = topic === 'margin' && levels.margin.pending.some(({ level }) => level === last?.level);
  return isPending || last?.level === levelOf(levels, topic) ? undefined : last;
}

function latestStated(stated: PositionState['stated'], changes: readonly Change[]): PositionState['stated'] {
  const latest: { [Each in Topic]?: StatedLevel | undefined } = { ...stated };
  for (const { topic, position, data } of changes) {
    const { level, transition } = data;
    if (!isBefore({ level, position, transition }, latest[topic]))
      latest[topic] = { level, position, transition };
  }
  return latest;
}

function isBefore(one: StatedLevel, other: StatedLevel | undefined): boolean {
  if (other === undefined) return false;
  return one.position === other.position ? one.transition < other.transition : one.position < other.position;
}
