import { MARGIN_LEVELS, type MarginData, type MarginLevel } from '@ssb/events';
import { addDecimals, parseDecimal, type Decimal } from '@ssb/market';
import type { Calculation } from '../calculation.js';
import {
  correctingTransition,
  MAX_TRANSITIONS,
  type AnnouncedLevel,
  type Change,
  type Decision,
} from './change.js';
import { addDeeperStep, deepestOf, isDeeper, listDeeperSteps, type Deepening } from './deepening.js';
import {
  describeThresholds,
  isBelow,
  resolveThresholds,
  type Policy,
  type Thresholds,
} from './thresholds.js';

/** A worse level that is not announced until it has lasted. */
export interface PendingLevel extends Deepening {
  readonly level: MarginLevel;
  /** Since when the level is this one or a worse one, milliseconds. It can be before `first`. */
  readonly since: number;
  /** The first calculation of exactly this level. It identifies the event whenever the level is announced, so the order of polls does not matter. */
  readonly first: Calculation;
  readonly thresholds: MarginData['thresholds'];
  readonly cause: 'calculation' | 'thresholds';
  readonly transition: number;
}

/** The level of the trading margin after a calculation. */
export interface MarginState {
  readonly level: MarginLevel;
  /** The last announced margin. */
  readonly announcedMargin?: Decimal | undefined;
  /** In the order of severity. */
  readonly pending: readonly PendingLevel[];
  /** The total number of deeper steps that were not announced. */
  readonly leftOut?: number | undefined;
  /** The last calculation that was applied, and the number of changes that it caused. */
  readonly last?: { readonly calculation: Calculation; readonly changes: number } | undefined;
}

export const INITIAL_MARGIN: MarginState = { level: 'OK', pending: [] };

const ZERO = parseDecimal('0');

type MarginDecision = Decision<MarginState, 'margin'>;

/** Applies an actual calculation. Ignored without a trading margin, or without the trading limit when a threshold is a percentage. */
export function decideMargin(state: MarginState, calculation: Calculation, policy: Policy): MarginDecision {
  const { tradingMargin, isForecast } = calculation;
  if (isForecast || tradingMargin === undefined) return { state, changes: [] };
  if (resolveThresholds(policy, calculation) === undefined) return { state, changes: [] };
  const last = { calculation, changes: 0 };
  const before = confirmMargin(state, policy, new Date(calculation.at));
  const after = reachLevel({ ...before.state, last }, policy, 'calculation');
  return { state: after.state, changes: [...before.changes, ...after.changes] };
}

/** Applies changed thresholds to the last calculation. */
export function redecideMargin(state: MarginState, policy: Policy): MarginDecision {
  return reachLevel(state, policy, 'thresholds');
}

/** The level of a margin. The margin leaves a level when it reaches the threshold plus the hysteresis. */
export function marginLevel(
  margin: Decimal,
  previous: MarginLevel,
  { warning, breach, hysteresis }: Pick<Thresholds, 'warning' | 'breach' | 'hysteresis'>,
): MarginLevel {
  if (isBelow(margin, previous === 'BREACHED' ? addDecimals(breach, hysteresis) : breach)) return 'BREACHED';
  // The warning's hysteresis also applies after a breach. Otherwise a margin just above the warning would alternate between OK and WARNING.
  if (isBelow(margin, previous === 'OK' ? warning : addDecimals(warning, hysteresis))) return 'WARNING';
  return 'OK';
}

function isWorse(level: MarginLevel, than: MarginLevel): boolean {
  return MARGIN_LEVELS.indexOf(level) > MARGIN_LEVELS.indexOf(than);
}

/** Applies the last calculation. A better level is announced at once, a worse level when it has lasted. */
function reachLevel(state: MarginState, policy: Policy, cause: PendingLevel['cause']): MarginDecision {
  const last = resolveLastCalculation(state, policy);
  if (last === undefined) return { state, changes: [] };
  const { calculation, amounts, thresholds, tradingMargin, transition } = last;
  const level = marginLevel(tradingMargin, state.pending.at(-1)?.level ?? state.level, amounts);
  if (isWorse(state.level, level))
    return announceLevel({ ...state, level, pending: [] }, last, { previousLevel: state.level, cause });
  const pending = state.pending.filter((entry) => !isWorse(entry.level, level));
  const isNew = isWorse(level, pending.at(-1)?.level ?? state.level);
  // Time at a worse pending level also counts as time at this level.
  const since = state.pending.find((entry) => isWorse(entry.level, level))?.since ?? calculation.at;
  const begin = (): PendingLevel => ({
    level,
    since,
    first: calculation,
    thresholds: thresholds(),
    cause,
    transition,
    deeper: [],
  });
  const next = isNew
    ? { ...state, pending: [...pending, begin()], last: { calculation, changes: transition + 1 } }
    : deepenPending({ ...state, pending }, last);
  return confirmMargin(next, policy, new Date(calculation.at));
}

/** Keeps the last calculation when a pending breach became deeper by the step. */
function deepenPending(state: MarginState, last: LastCalculation): MarginState {
  const entry = state.pending.at(-1);
  const deepened = entry?.level === 'BREACHED' ? addDeeperStep(entry, last) : undefined;
  if (deepened === undefined) return state;
  const { calculation, transition } = last;
  const pending = [...state.pending.slice(0, -1), deepened];
  return { ...state, pending, last: { calculation, changes: transition + 1 } };
}

/** Announces the pending levels that have lasted until a time. */
export function confirmMargin(state: MarginState, policy: Policy, until: Date): MarginDecision {
  const { minDurationMs } = policy.margin;
  const waiting = state.pending.findIndex(({ since }) => until.getTime() - since < minDurationMs);
  const lasted = waiting < 0 ? state.pending : state.pending.slice(0, waiting);
  const changes = lasted.flatMap((entry, index) =>
    announcePending(entry, lasted[index - 1]?.level ?? state.level),
  );
  const worst = lasted.at(-1);
  const pending = state.pending.slice(lasted.length);
  const leftOut = lasted.reduce((sum, entry) => sum + (entry.leftOut ?? 0), state.leftOut ?? 0) || undefined;
  const announced =
    worst === undefined
      ? state
      : { ...state, level: worst.level, announcedMargin: deepestOf(worst).tradingMargin, pending, leftOut };
  const deeper = announceDeeper(announced, policy);
  return { state: deeper.state, changes: [...changes, ...deeper.changes] };
}

/** Announces a breach again when the last margin is at least one step below the announced one. A step of zero means never. */
function announceDeeper(state: MarginState, policy: Policy): MarginDecision {
  const { level, announcedMargin } = state;
  const last = resolveLastCalculation(state, policy);
  if (level !== 'BREACHED' || last === undefined) return { state, changes: [] };
  const { tradingMargin, amounts } = last;
  if (announcedMargin === undefined)
    return { state: { ...state, announcedMargin: tradingMargin }, changes: [] };
  if (!isDeeper(tradingMargin, announcedMargin, amounts)) return { state, changes: [] };
  return announceLevel(state, last, {
    previousLevel: level,
    cause: 'deepened',
    previousMargin: announcedMargin,
  });
}

/** Announces the level again, because another level was announced last. */
export function correctMargin(state: MarginState, policy: Policy, announced: AnnouncedLevel): MarginDecision {
  const last = resolveLastCalculation(state, policy);
  if (last === undefined || announced.level === state.level) return { state, changes: [] };
  const transition = correctingTransition(announced, last.calculation.sortKey, last.transition);
  const previousLevel = announced.level as MarginLevel;
  return announceLevel(state, { ...last, transition }, { previousLevel, cause: 'calculation' });
}

interface LastCalculation {
  readonly calculation: Calculation;
  readonly tradingMargin: Decimal;
  readonly amounts: Thresholds;
  /** As a function, because most calculations change nothing. */
  readonly thresholds: () => MarginData['thresholds'];
  readonly transition: number;
}

/** The last calculation with the thresholds in force; undefined when it decides no level, or caused too many changes. */
function resolveLastCalculation({ last }: MarginState, policy: Policy): LastCalculation | undefined {
  if (last === undefined || last.changes > MAX_TRANSITIONS) return undefined;
  const { calculation, changes: transition } = last;
  const { tradingMargin } = calculation;
  const amounts = resolveThresholds(policy, calculation);
  if (tradingMargin === undefined || amounts === undefined) return undefined;
  return {
    calculation,
    tradingMargin,
    amounts,
    thresholds: () => describeThresholds(policy, amounts, calculation),
    transition,
  };
}

type Announcement = Pick<MarginData, 'previousLevel' | 'cause' | 'previousMargin'>;

/** Announces the level with the last calculation. */
function announceLevel(
  state: MarginState,
  last: LastCalculation,
  announcement: Announcement,
): MarginDecision {
  const { calculation, thresholds, tradingMargin: announcedMargin, transition } = last;
  const { level } = state;
  const change = createChange(calculation, { level, thresholds: thresholds(), transition, ...announcement });
  return {
    state: { ...state, announcedMargin, last: { calculation, changes: transition + 1 } },
    changes: [change],
  };
}

/** Announces a level that has lasted, and how the breach became deeper meanwhile. */
function announcePending(entry: PendingLevel, previousLevel: MarginLevel): Change<'margin'>[] {
  const { level, first, thresholds, cause, transition } = entry;
  const deeper = listDeeperSteps(entry).map(({ calculation, ...step }) =>
    createChange(calculation, { level, previousLevel: level, cause: 'deepened', ...step }),
  );
  return [createChange(first, { level, previousLevel, thresholds, cause, transition }), ...deeper];
}

function createChange(
  calculation: Calculation,
  decided: Announcement & Pick<MarginData, 'level' | 'thresholds'> & { readonly transition: number },
): Change<'margin'> {
  const { tradingDay, calculatedAt, tradingMargin = ZERO, outstandingAmount, digest, sortKey } = calculation;
  return {
    topic: 'margin',
    sortKey,
    data: {
      tradingDay,
      calculatedAt,
      tradingMargin,
      ...(outstandingAmount !== undefined && { outstandingAmount }),
      digest,
      ...decided,
    },
  };
}
