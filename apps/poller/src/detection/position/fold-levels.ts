import type { MarketDate } from '@ssb/market';
import { absorb } from './absorbed.js';
import { splitLog, type CalculationLog, type Revision } from './calculation-log.js';
import type { Change } from './levels/change.js';
import {
  completeLevels,
  correctLevel,
  decideLevels,
  redecideLevels,
  type LevelsDecision,
} from './levels/levels.js';
import type { Policy } from './levels/thresholds.js';

/** All changes after the base in the order of decision, and the levels at `now`. */
export function foldLevels(log: CalculationLog, now: Date): LevelsDecision {
  const { policy, ...folded } = fold(log);
  if (policy === undefined) return folded;
  const completed = completeLevels(folded.levels, policy, now);
  return { levels: completed.levels, changes: [...folded.changes, ...completed.changes] };
}

/** A log whose oldest calculations are part of the base. */
export interface PrunedLog {
  readonly log: CalculationLog;
  /** The changes that they decided. */
  readonly changes: readonly Change[];
  /** Whether the base has changed. */
  readonly isPruned: boolean;
}

/** Folds the oldest calculations and revisions into the base. */
export function pruneLog(log: CalculationLog, now: Date, incompleteFrom: MarketDate | undefined): PrunedLog {
  const split = splitLog(log, now, incompleteFrom);
  if (split === undefined) return { log, changes: [], isPruned: false };
  const { old, sortKey, kept } = split;
  const { levels, policy, changes } = fold(old);
  const absorbed = old.base.absorbed && absorb(old.base.absorbed, old.calculations);
  return { log: { base: { sortKey, policy, levels, absorbed }, ...kept }, changes, isPruned: true };
}

interface Folded extends LevelsDecision {
  readonly policy?: Policy | undefined;
}

function fold({ base, calculations, revisions }: CalculationLog): Folded {
  let { levels, policy } = base;
  const changes: Change[] = [];
  const apply = (decision: LevelsDecision): void => {
    ({ levels } = decision);
    changes.push(...decision.changes);
  };
  const revise = (revision: Revision, before: Policy): void => {
    apply(completeLevels(levels, before, new Date(revision.at)));
    if (revision.kind === 'correction') {
      apply(correctLevel(levels, revision.topic, before, revision.announced));
    } else {
      ({ policy } = revision);
      apply(redecideLevels(levels, revision.policy));
    }
  };
  let next = 0;
  const reviseBefore = (sortKey?: string): void => {
    for (; policy !== undefined; next += 1) {
      const revision = revisions[next];
      if (revision === undefined || (sortKey !== undefined && revision.after >= sortKey)) return;
      revise(revision, policy);
    }
  };
  for (const calculation of calculations) {
    reviseBefore(calculation.sortKey);
    if (policy !== undefined) apply(decideLevels(levels, calculation, policy));
  }
  reviseBefore();
  return { levels, policy, changes };
}
