import { dateOf, startOfDay, toInstant, type MarketDate } from '@ssb/market';
import {
  absorbLate,
  describeLate,
  findLate,
  forgetBefore,
  startAbsorbed,
  type Absorbed,
} from './absorbed.js';
import type { LeftOut } from '../detection.js';
import type { Calculation } from './calculation.js';
import type { AnnouncedLevel, Topic } from './levels/change.js';
import { INITIAL_LEVELS, type Levels } from './levels/levels.js';
import { isSamePolicy, type Policy } from './levels/thresholds.js';

/** A decision that no calculation causes, at its place in the log. */
export type Revision = {
  /** Sort key of the last calculation that was known. */
  readonly after: string;
  /** The levels before it are decided until this time. */
  readonly at: string;
} & (
  | { readonly kind: 'policy'; readonly policy: Policy }
  /** The present level of a topic is announced again. */
  | { readonly kind: 'correction'; readonly topic: Topic; readonly announced: AnnouncedLevel }
);

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
  /** New calculations before the kept ones. */
  readonly late: readonly Calculation[];
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
  const early: Calculation[] = [];
  for (const calculation of calculations) {
    const { sortKey } = calculation;
    if (sortKey <= base.sortKey) early.push(calculation);
    else if (!known.has(sortKey)) {
      known.set(sortKey, calculation);
      added.push(calculation);
    }
  }
  if (calculations.length === 0) return { log, added, late: [] };
  const before = base.absorbed ?? startAbsorbed(firstDay);
  const late = findLate(before, early);
  const next = added.length === 0 ? log : { ...log, calculations: [...known.values()].sort(bySortKey) };
  const forecasts = [...base.levels.operatorForecast.days, ...next.calculations];
  const absorbed = absorbLate(forgetBefore(before, firstDay), late, forecasts);
  if (absorbed === base.absorbed) return { log: next, added, late };
  return { log: { ...next, base: { ...base, absorbed } }, added, late };
}

/** The calculations that decide no level, because they arrived too late. */
export function listLeftOut({ base, calculations }: CalculationLog): LeftOut[] {
  const [after = ''] = base.sortKey.split('|');
  return base.absorbed === undefined
    ? []
    : describeLate(base.absorbed, { count: calculations.length, after });
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
  return addRevision(log, { kind: 'policy', after: lastSortKey(log), at: decidedAt, policy });
}

/** Announces the present level of a topic again. */
export function addCorrection(
  log: CalculationLog,
  topic: Topic,
  announced: AnnouncedLevel,
  at: string,
): CalculationLog {
  return addRevision(log, { kind: 'correction', after: lastSortKey(log), at, topic, announced });
}

/** The latest actual calculation, even without figures. */
export function latestCalculation({ base, calculations }: CalculationLog): Levels['latest'] {
  return calculations.findLast(({ isForecast }) => !isForecast) ?? base.levels.latest;
}

/**
 * Maximum age of a kept calculation. Each response reaches back to yesterday or earlier, so a calculation is usually read in time. A later
 * calculation is announced and reported, but decides no level.
 */
const MAX_AGE_MS = 3 * 86_400_000;
/** Above these limits, the oldest become part of the base earlier. */
export const MAX_KEPT_CALCULATIONS = 1_000;
const MAX_KEPT_REVISIONS = 200;

export interface SplitLog {
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
export function splitLog(
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

function addRevision(log: CalculationLog, revision: Revision): CalculationLog {
  return { ...log, revisions: [...log.revisions, revision] };
}

function lastSortKey({ base, calculations }: CalculationLog): string {
  return calculations.at(-1)?.sortKey ?? base.sortKey;
}

function bySortKey(a: Calculation, b: Calculation): number {
  return a.sortKey < b.sortKey ? -1 : 1;
}
