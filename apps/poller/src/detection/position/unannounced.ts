import type { LeftOut, Unreadable } from '../detection.js';
import { calculationDocument } from '../digest.js';
import type { Announced } from './announcements.js';
import { describeLate } from './absorbed.js';
import type { CalculationLog } from './calculation-log.js';
import type { ReadCalculation } from './calculation.js';
import { MAX_TRANSITIONS, TOPICS, type Topic } from './levels/change.js';
import { MAX_DEEPER_STEPS } from './levels/deepening.js';
import type { Levels } from './levels/levels.js';
import { resolveBreach, resolveThresholds, type Policy } from './levels/thresholds.js';

/** The calculations that decide no level because a threshold is a share of a trading limit that they lack. */
export function findMissingLimits(policy: Policy, read: readonly ReadCalculation[]): Unreadable[] {
  return read
    .filter(({ calculation: { tradingMargin } }) => tradingMargin !== undefined)
    .filter(({ calculation }) => {
      const resolve = calculation.isForecast ? resolveBreach : resolveThresholds;
      return resolve(policy, calculation) === undefined;
    })
    .map(({ index, data }) => ({
      document: calculationDocument(data),
      path: `data[${index}].tradingLimit`,
      reason: 'is missing or too long, and a threshold is a share of it',
    }));
}

/** The number of deeper steps of a breach that the bound left out between two decisions, including a breach that still waits. */
export function countDeeperSteps({ margin: after }: Levels, { margin: before }: Levels): number {
  const waiting = after.pending.reduce((sum, { leftOut = 0 }) => sum + leftOut, 0);
  return waiting + (after.leftOut ?? 0) - (before.leftOut ?? 0);
}

interface Decided {
  readonly announced: Announced;
  readonly log: CalculationLog;
  readonly deeperLeftOut?: number | undefined;
}

/** The calculations that decide no level, and the steps and changes that no event announces. */
export function listUnannounced(state: Decided): LeftOut[] {
  return [...listLate(state.log), ...listDeeperSteps(state), ...listUnchangeable(state)];
}

function listLate({ base, calculations }: CalculationLog): LeftOut[] {
  const [after = ''] = base.sortKey.split('|');
  return base.absorbed === undefined
    ? []
    : describeLate(base.absorbed, { count: calculations.length, after });
}

/** Steps of a breach that waited. A deeper step is announced in their place. */
function listDeeperSteps({ deeperLeftOut: count = 0 }: Decided): LeftOut[] {
  const range = 'the deepest one is announced';
  return count === 0 ? [] : [{ what: 'deeper steps of a breach', count, kept: MAX_DEEPER_STEPS, range }];
}

/** Levels that cannot change again before the next calculation: their events have no further number. */
function listUnchangeable({ announced, log }: Decided): LeftOut[] {
  const count = TOPICS.filter((topic) => {
    const last = announced.levels[topic];
    return last !== undefined && last.transition >= MAX_TRANSITIONS && last.sortKey >= lastOf(topic, log);
  }).length;
  const range = 'on one calculation; the next one decides these levels again';
  return count === 0
    ? []
    : [{ what: 'levels with further changes', count, kept: MAX_TRANSITIONS + 1, range }];
}

/** Sort key of the last calculation that can change the level. */
function lastOf(topic: Topic, { base, calculations }: CalculationLog): string {
  const isForecast = topic === 'forecast-operator';
  const last = calculations.findLast((calculation) => isForecast || !calculation.isForecast);
  return last?.sortKey ?? base.sortKey;
}
