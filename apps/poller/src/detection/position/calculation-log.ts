import { dateOf, type MarketDate } from '@ssb/market';
import { absorbBeforeBase, type Absorbed } from './absorbed.js';
import type { Calculation } from './calculation.js';
import type { AnnouncedLevel, Topic } from './levels/change.js';
import { INITIAL_LEVELS, type Levels } from './levels/levels.js';
import { isSamePolicy, type Policy } from './levels/thresholds.js';

/** A change of the policy or a correction, between two calculations. */
export type Revision = RevisionCause & {
  /** Sort key of the last calculation that was known. */
  readonly after: string;
  /** Pending levels are confirmed up to this time first. */
  readonly at: string;
};

type RevisionCause =
  | { readonly kind: 'policy'; readonly policy: Policy }
  /** The present level of a topic is announced again. */
  | { readonly kind: 'correction'; readonly topic: Topic; readonly announced: AnnouncedLevel };

/** What the oldest calculations decided. A calculation up to the sort key of the base no longer decides a level. */
export interface Base {
  readonly sortKey: string;
  /** Undefined before the first decision. */
  readonly policy?: Policy | undefined;
  readonly levels: Levels;
  /** Undefined before the first calculation. */
  readonly absorbed?: Absorbed | undefined;
}

/**
 * The calculations of a participant in order. All levels follow from it, so a calculation that arrives late is decided at its place, and the
 * order of the polls makes no difference.
 */
export interface CalculationLog {
  readonly base: Base;
  /** In the order of their sort keys. */
  readonly calculations: readonly Calculation[];
  readonly revisions: readonly Revision[];
}

export const EMPTY_LOG: CalculationLog = {
  base: { sortKey: '', levels: INITIAL_LEVELS },
  calculations: [],
  revisions: [],
};

/** Marks the first trading day that is read, when the calculations before it are not known. */
export function startReading(log: CalculationLog, firstDay: MarketDate): CalculationLog {
  const { base } = log;
  const latest = latestCalculation(log);
  const isKnown =
    latest === undefined
      ? base.levels.readFrom !== undefined
      : base.levels.readFrom === firstDay || dateOf(latest.calculatedAt) >= firstDay;
  return isKnown ? log : { ...log, base: { ...base, levels: { ...base.levels, readFrom: firstDay } } };
}

export interface AddedCalculations {
  readonly log: CalculationLog;
  readonly added: readonly Calculation[];
  /** New calculations that the base covers. They decide no level. */
  readonly addedBeforeBase: readonly Calculation[];
}

/** Adds the calculations of a response that are not known. @param firstDay the first trading day of the response */
export function addCalculations(
  log: CalculationLog,
  calculations: readonly Calculation[],
  firstDay: MarketDate,
): AddedCalculations {
  const { base } = log;
  const known = new Map(log.calculations.map((calculation) => [calculation.sortKey, calculation]));
  const added: Calculation[] = [];
  const beforeBase: Calculation[] = [];
  for (const calculation of calculations) {
    const { sortKey } = calculation;
    if (sortKey <= base.sortKey) beforeBase.push(calculation);
    else if (!known.has(sortKey)) {
      known.set(sortKey, calculation);
      added.push(calculation);
    }
  }
  if (calculations.length === 0) return { log, added, addedBeforeBase: [] };
  const next = added.length === 0 ? log : { ...log, calculations: [...known.values()].sort(bySortKey) };
  const deciding = [...base.levels.operatorForecast.days, ...next.calculations];
  const { absorbed, late: addedBeforeBase } = absorbBeforeBase(base.absorbed, beforeBase, deciding, firstDay);
  if (absorbed === base.absorbed) return { log: next, added, addedBeforeBase };
  return { log: { ...next, base: { ...base, absorbed } }, added, addedBeforeBase };
}

/** The policy of the last decision; undefined before the first one. */
export function policyInForce({ base, revisions }: CalculationLog): Policy | undefined {
  const current = revisions.findLast(({ kind }) => kind === 'policy') ?? base;
  return 'policy' in current ? current.policy : undefined;
}

/** Applies a policy to the calculations that follow, and again to the last known ones. */
export function applyPolicy(log: CalculationLog, policy: Policy, decidedAt: string): CalculationLog {
  const known = policyInForce(log);
  if (known === undefined) return { ...log, base: { ...log.base, policy } };
  if (isSamePolicy(known, policy)) return log;
  return addRevision(log, decidedAt, { kind: 'policy', policy });
}

/** Adds a decision after the last known calculation. */
export function addRevision(log: CalculationLog, at: string, cause: RevisionCause): CalculationLog {
  const after = log.calculations.at(-1)?.sortKey ?? log.base.sortKey;
  return { ...log, revisions: [...log.revisions, { after, at, ...cause }] };
}

/** The latest actual calculation, even without figures. */
export function latestCalculation({ base, calculations }: CalculationLog): Levels['latest'] {
  return calculations.findLast(({ isForecast }) => !isForecast) ?? base.levels.latest;
}

function bySortKey(a: Calculation, b: Calculation): number {
  return a.sortKey < b.sortKey ? -1 : 1;
}
