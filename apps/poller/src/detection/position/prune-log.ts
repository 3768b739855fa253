import { startOfDay, toInstant, type MarketDate } from '@ssb/market';
import { absorb } from './absorbed.js';
import type { Calculation } from './calculation.js';
import type { CalculationLog } from './calculation-log.js';
import { applyLog } from './fold-levels.js';
import type { Change } from './levels/change.js';

/**
 * Maximum age of a kept calculation. Each response reaches back to yesterday or earlier, so a calculation is usually read in time. A later
 * calculation is announced and reported, but decides no level.
 */
const MAX_AGE_MS = 3 * 86_400_000;
/** Above these limits, the oldest become part of the base earlier. */
const MAX_KEPT_CALCULATIONS = 1_000;
const MAX_KEPT_REVISIONS = 200;

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
  const { levels, policy, changes } = applyLog(old);
  const absorbed = old.base.absorbed && absorb(old.base.absorbed, old.calculations);
  return { log: { base: { sortKey, policy, levels, absorbed }, ...kept }, changes, isPruned: true };
}

/** Whether a calculation or revision becomes part of the base. */
export function isPrunable(log: CalculationLog, now: Date, incompleteFrom: MarketDate | undefined): boolean {
  return splitLog(log, now, incompleteFrom) !== undefined;
}

interface SplitLog {
  /** The part that becomes the next base. */
  readonly old: CalculationLog;
  /** Where the kept part begins. */
  readonly sortKey: string;
  readonly kept: Pick<CalculationLog, 'calculations' | 'revisions'>;
}

/**
 * Separates the oldest calculations and revisions from those that are kept; undefined when all are kept.
 * @param incompleteFrom the first trading day with a calculation that could not be read; it may be read later
 */
function splitLog(
  { base, calculations, revisions }: CalculationLog,
  now: Date,
  incompleteFrom: MarketDate | undefined,
): SplitLog | undefined {
  const incomplete =
    incompleteFrom === undefined ? Infinity : toInstant(startOfDay(incompleteFrom)).getTime();
  const oldest = Math.min(now.getTime() - MAX_AGE_MS, incomplete);
  const surplus = Math.max(0, calculations.length - MAX_KEPT_CALCULATIONS);
  const end = [
    calculations[surplus - 1]?.sortKey,
    calculations.findLast(({ at }) => at < oldest)?.sortKey,
    revisions.at(-MAX_KEPT_REVISIONS - 1)?.after,
  ].reduce<string>((latest, sortKey = '') => (sortKey > latest ? sortKey : latest), '');
  const isOld = ({ sortKey }: Calculation): boolean => sortKey <= end;
  if (!calculations.some(isOld) && revisions.length <= MAX_KEPT_REVISIONS) return undefined;
  return {
    old: {
      base,
      calculations: calculations.filter(isOld),
      revisions: revisions.filter(({ after }) => after <= end),
    },
    sortKey: end > base.sortKey ? end : base.sortKey,
    kept: {
      calculations: calculations.filter((calculation) => !isOld(calculation)),
      revisions: revisions.filter(({ after }) => after > end),
    },
  };
}
