import { dateOf, startOfDay, toInstant, type MarketDate } from '@ssb/market';
import { MAX_HORIZON_DAYS } from '@ssb/config';
import { absorb, describeLate, findLate, forgetBefore, startAbsorbed, type Absorbed } from './absorbed.js';
import type { LeftOut } from '../detection.js';
import { daysAhead, type Calculation } from './calculation.js';
import type { Change, StatedLevel, Topic } from './levels/change.js';
import {
  correctLevel,
  decideLevels,
  INITIAL_LEVELS,
  redecideLevels,
  completeLevels,
  type Levels,
  type LevelsDecision,
} from './levels/levels.js';
import { isSamePolicy, type Policy } from './levels/policy.js';

/** What was decided besides the calculations, at its place among them. */
export type Revision = {
  /** Position of the last calculation that was known. */
  readonly after: string;
  /** Until when the levels before it are decided. */
  readonly at: string;
} & (
  | { readonly kind: 'policy'; readonly policy: Policy }
  | { readonly kind: 'correction'; readonly topic: Topic; readonly stated: StatedLevel }
);

/** The levels before the first kept calculation. A calculation up to its position decides none of them any more. */
export interface Base {
  readonly position: string;
  /** Undefined before the first decision. */
  readonly policy?: Policy | undefined;
  readonly levels: Levels;
  /** Undefined before the first calculation. */
  readonly absorbed?: Absorbed | undefined;
}

/**
 * The calculations of a participant. All changes follow from it, so that a calculation which arrives late is decided at its place, and the
 * order of the polls makes no difference.
 */
export interface History {
  readonly base: Base;
  /** In the order of their positions. */
  readonly calculations: readonly Calculation[];
  readonly revisions: readonly Revision[];
}

export const EMPTY_HISTORY: History = {
  base: { position: '', levels: INITIAL_LEVELS },
  calculations: [],
  revisions: [],
};

/**
 * A calculation was in a response soon after it was performed: responses reach from yesterday or earlier to the largest horizon. One of an older
 * time that arrives late is stated, decides no level, and is reported.
 */
const MAX_AGE_MS = 3 * 86_400_000;
/** Beyond these, the oldest become part of the base earlier. */
export const MAX_KEPT_CALCULATIONS = 1_000;
const MAX_KEPT_REVISIONS = 200;

/** Marks the first trading day that is read, when the calculations before it are not known. */
export function startReading(history: History, firstDay: MarketDate): History {
  const { base } = history;
  const latest = latestCalculation(history);
  const isKnown =
    latest === undefined
      ? base.levels.readFrom !== undefined
      : base.levels.readFrom === firstDay || dateOf(latest.calculatedAt) >= firstDay;
  return isKnown
    ? history
    : { ...history, base: { ...base, levels: { ...base.levels, readFrom: firstDay } } };
}

export interface AddedCalculations {
  readonly history: History;
  readonly added: readonly Calculation[];
  /** Those that are new and before the kept ones. */
  readonly late: readonly Calculation[];
}

/** Adds the calculations of a response that are not known. @param firstDay the first trading day of the response */
export function addCalculations(
  history: History,
  calculations: readonly Calculation[],
  firstDay: MarketDate,
): AddedCalculations {
  const { base } = history;
  const known = new Map(history.calculations.map((calculation) => [calculation.position, calculation]));
  const added: Calculation[] = [];
  const early: Calculation[] = [];
  for (const calculation of calculations) {
    const { position } = calculation;
    if (position <= base.position) early.push(calculation);
    else if (!known.has(position)) {
      known.set(position, calculation);
      added.push(calculation);
    }
  }
  if (calculations.length === 0) return { history, added, late: [] };
  const before = base.absorbed ?? startAbsorbed(firstDay);
  const late = findLate(before, early);
  const next =
    added.length === 0 ? history : { ...history, calculations: [...known.values()].sort(byPosition) };
  const absorbed = absorbLate(forgetBefore(before, firstDay), late, next);
  if (absorbed === base.absorbed) return { history: next, added, late };
  return { history: { ...next, base: { ...base, absorbed } }, added, late };
}

/** A late forecast could decide a level only when its trading day has no later one. */
function absorbLate(
  absorbed: Absorbed,
  late: readonly Calculation[],
  { base, calculations }: History,
): Absorbed {
  if (late.length === 0) return absorbed;
  const latest = new Map<string, string>();
  for (const { isForecast, tradingDay, position } of [...base.levels.operatorForecast.days, ...calculations])
    if (isForecast) latest.set(dateOf(tradingDay), position);
  return absorb(absorbed, late, (calculation) => {
    if (!calculation.isForecast) return true;
    const isSuperseded = (latest.get(dateOf(calculation.tradingDay)) ?? '') > calculation.position;
    return !isSuperseded && daysAhead(calculation) <= MAX_HORIZON_DAYS;
  });
}

/** The calculations that decide no level, because they arrived too late. */
export function listLeftOut({ base, calculations }: History): LeftOut[] {
  const [after = ''] = base.position.split('|');
  return base.absorbed === undefined
    ? []
    : describeLate(base.absorbed, { count: calculations.length, after });
}

/** The policy of the last decision; undefined before the first one. */
export function policyInForce({ base, revisions }: History): Policy | undefined {
  const current = revisions.findLast(({ kind }) => kind === 'policy') ?? base;
  return 'policy' in current ? current.policy : undefined;
}

/** Decides the calculations that follow under the policy, and the last known ones again. */
export function applyPolicy(history: History, policy: Policy, decidedAt: string): History {
  const { base, calculations, revisions } = history;
  const known = policyInForce(history);
  if (known === undefined) return { ...history, base: { ...base, policy } };
  if (isSamePolicy(known, policy)) return history;
  const after = calculations.at(-1)?.position ?? base.position;
  return { ...history, revisions: [...revisions, { kind: 'policy', after, at: decidedAt, policy }] };
}

/** Adds that the present level of a topic is stated again. */
export function addCorrection(history: History, topic: Topic, stated: StatedLevel, at: string): History {
  const after = history.calculations.at(-1)?.position ?? history.base.position;
  return { ...history, revisions: [...history.revisions, { kind: 'correction', after, at, topic, stated }] };
}

/** All changes after the base in the order of decision, and the levels at a time. */
export function decideHistory(history: History, now: Date): LevelsDecision {
  const decided = replay(history);
  if (decided.policy === undefined) return decided;
  const completed = completeLevels(decided.levels, decided.policy, now);
  return { levels: completed.levels, changes: [...decided.changes, ...completed.changes] };
}

/** The latest actual calculation, also one without figures. */
export function latestCalculation({ base, calculations }: History): Levels['latest'] {
  return calculations.findLast(({ isForecast }) => !isForecast) ?? base.levels.latest;
}

/** A history whose oldest calculations are part of the base. */
export interface PrunedHistory {
  readonly history: History;
  /** The changes that they decided. */
  readonly changes: readonly Change[];
  /** Whether the base is another one. */
  readonly isPruned: boolean;
}

/**
 * Makes the oldest calculations and revisions part of the base.
 * @param incompleteFrom the first trading day of which a calculation could not be read; it may be read later
 */
export function pruneHistory(
  history: History,
  now: Date,
  incompleteFrom: MarketDate | undefined,
): PrunedHistory {
  const { calculations, revisions } = history;
  const incomplete =
    incompleteFrom === undefined ? Infinity : toInstant(startOfDay(incompleteFrom)).getTime();
  const oldest = Math.min(now.getTime() - MAX_AGE_MS, incomplete);
  const surplus = Math.max(0, calculations.length - MAX_KEPT_CALCULATIONS);
  const isOld = ({ at }: Calculation): boolean => at < oldest;
  const end = [
    calculations[surplus - 1]?.position,
    calculations.findLast(isOld)?.position,
    revisions.at(-MAX_KEPT_REVISIONS - 1)?.after,
  ].reduce<string>((latest, position = '') => (position > latest ? position : latest), '');
  const isWithin = ({ position }: Calculation): boolean => position <= end;
  if (!calculations.some(isWithin) && revisions.length <= MAX_KEPT_REVISIONS)
    return { history, changes: [], isPruned: false };
  const old = {
    base: history.base,
    calculations: calculations.filter(isWithin),
    revisions: revisions.filter(({ after }) => after <= end),
  };
  const { levels, policy, changes } = replay(old);
  const pruned = {
    base: {
      position: end > history.base.position ? end : history.base.position,
      policy,
      levels,
      absorbed: history.base.absorbed && absorb(history.base.absorbed, old.calculations),
    },
    calculations: calculations.filter((calculation) => !isWithin(calculation)),
    revisions: revisions.filter(({ after }) => after > end),
  };
  return { history: pruned, changes, isPruned: true };
}

interface Replayed extends LevelsDecision {
  readonly policy?: Policy | undefined;
}

function replay({ base, calculations, revisions }: History): Replayed {
  let { levels, policy } = base;
  const changes: Change[] = [];
  const apply = (decision: LevelsDecision): void => {
    ({ levels } = decision);
    changes.push(...decision.changes);
  };
  const pending = [...revisions];
  const revise = (before?: string): void => {
    while (policy !== undefined && pending[0] && (before === undefined || pending[0].after < before)) {
      const [revision] = pending.splice(0, 1);
      if (revision === undefined) return;
      apply(completeLevels(levels, policy, new Date(revision.at)));
      if (revision.kind === 'correction') {
        apply(correctLevel(levels, revision.topic, policy, revision.stated));
      } else {
        ({ policy } = revision);
        apply(redecideLevels(levels, policy));
      }
    }
  };
  for (const calculation of calculations) {
    revise(calculation.position);
    if (policy !== undefined) apply(decideLevels(levels, calculation, policy));
  }
  revise();
  return { levels, policy, changes };
}

function byPosition(a: Calculation, b: Calculation): number {
  return a.position < b.position ? -1 : 1;
}
