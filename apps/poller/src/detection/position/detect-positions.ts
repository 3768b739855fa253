import type { Fact } from '@ssb/events';
import { hasOnlyUnsetDates } from '@ssb/market';
import type { MarginSettings } from '@ssb/config';
import type { Detected, DetectionContext } from '../detection.js';
import {
  readCalculations,
  type Calculation,
  type PositionResponse,
  type ReadCalculation,
} from './calculation.js';
import type { Change } from './levels/change.js';
import { selectSaved, type FutureCalculation } from './future-calculations.js';
import {
  addCalculations,
  applyPolicy,
  listLeftOut,
  policyInForce,
  pruneHistory,
  startReading,
  type History,
} from './history.js';
import type { Levels } from './levels/levels.js';
import { findNewChanges, identify, toFact } from './new-changes.js';
import {
  describeThresholds,
  findMissingLimits,
  policyOf,
  resolveThresholds,
  type Policy,
} from './levels/policy.js';
import { countDeeperSteps, listUnannounced } from './unannounced.js';
import { EMPTY_POSITION, type PositionState, type PresentPosition } from './position-state.js';
import { detectStaleness, firstPollOf } from './staleness.js';

export interface DetectedPosition extends Detected<PositionState> {
  /** Calculations whose time has not come. */
  readonly future: readonly FutureCalculation[];
  /** How many calculations could be read, those of the future included. Each decides what its fields allow. */
  readonly readCount: number;
  /** To be saved after the changed levels are queued and before the other facts are. */
  readonly raisedState: PositionState;
}

/** Decides the calculations of an answer of operation 1 (document 000). */
export function detectPositions(
  previous: PositionState | undefined,
  answer: PositionResponse,
  context: DetectionContext,
): DetectedPosition {
  const { participant, settings, now } = context;
  const state = previous ?? EMPTY_POSITION;
  const saved = context.keepsThresholds === true ? policyInForce(state.history) : undefined;
  const policy = saved ?? policyOf(settings);
  const { read, unreadable, isIncomplete, ...found } = readCalculations(participant, answer, now);
  const before = applyPolicy(startReading(state.history, answer.firstDay), policy, state.decidedAt);
  const { history, added, late } = addCalculations(
    before,
    read.map(({ calculation }) => calculation),
    answer.firstDay,
  );
  const incompleteFrom = findIncompleteDay(state, answer, isIncomplete);
  // An answer without calculations says nothing about them.
  const future = answer.value.length === 0 ? state.future : found.future;
  const next = { ...state, incompleteFrom };
  const { changes, ...decided } = isDecided(next, history, now)
    ? { ...next, changes: [] }
    : decide(history, next, policy, context);
  const firstPolledAt = firstPollOf(state, now);
  const pauses = { stale: state.stale, firstPolledAt };
  const pause = detectStaleness(pauses, history, added, settings.position, now);
  return {
    facts: [...createFacts(read, [...late, ...added], changes, settings.margin.severity), ...pause.facts],
    state: {
      ...decided,
      decidedAt: now.toISOString(),
      incompleteFrom,
      future: selectSaved(future),
      firstPolledAt,
      stale: pause.stale,
    },
    unreadable: [...unreadable, ...findMissingLimits(policy, read)],
    leftOut: [...listLeftOut(decided.history), ...listUnannounced(decided)],
    future,
    readCount: read.length + found.future.length,
    raisedState: raiseOnly({ ...state, history: before }, decided, changes, context),
  };
}

/**
 * The state before the calculations, with the changed levels as raised. Until the calculations come again it counts as settled, because a level
 * must not be corrected without them.
 */
function raiseOnly(
  state: PositionState,
  { stated, history: { revisions } }: Pick<PositionState, 'stated' | 'history'>,
  changes: readonly Change[],
  context: DetectionContext,
): PositionState {
  const known = new Set(state.history.revisions);
  const corrections = revisions.filter((revision) => revision.kind === 'correction' && !known.has(revision));
  return {
    ...state,
    history: { ...state.history, revisions: [...state.history.revisions, ...corrections] },
    raised: [...state.raised, ...changes.map((change) => identify(change, context))],
    stated,
    isSettled: true,
  };
}

/** Decides what follows from the time alone, after a poll without a usable response. */
export function detectWithoutResponse(
  previous: PositionState | undefined,
  context: DetectionContext,
): Detected<PositionState> {
  const { settings, now } = context;
  const state = previous ?? EMPTY_POSITION;
  const policy = policyInForce(state.history);
  // A level waits. Other settings are decided with the next response.
  const { changes, ...decided } =
    state.isSettled || policy === undefined
      ? { ...state, changes: [] }
      : { ...state, ...decide(state.history, state, policy, context), decidedAt: now.toISOString() };
  const firstPolledAt = firstPollOf(state, now);
  const pauses = { stale: state.stale, firstPolledAt };
  const pause = detectStaleness(pauses, decided.history, [], settings.position, now);
  return {
    facts: [...createFacts([], [], changes, settings.margin.severity), ...pause.facts],
    state: { ...decided, firstPolledAt, stale: pause.stale },
    unreadable: [],
  };
}

/** The first trading day to read until a response is complete. A response without calculations says nothing about them. */
function findIncompleteDay(
  { incompleteFrom }: PositionState,
  { value, unreadable, firstDay }: PositionResponse,
  isIncomplete: boolean,
): PositionState['incompleteFrom'] {
  if (isIncomplete || !unreadable.every(hasOnlyUnsetDates)) return firstDay;
  return value.length === 0 ? incompleteFrom : undefined;
}

/** Whether the history is the one of the state, and nothing follows from the time alone. Then a replay would decide the same. */
function isDecided(state: PositionState, history: History, now: Date): boolean {
  return (
    state.isSettled && history === state.history && !pruneHistory(history, now, state.incompleteFrom).isPruned
  );
}

type Decided = Pick<
  PositionState,
  'history' | 'raised' | 'stated' | 'isSettled' | 'deeperLeftOut' | 'present'
> & {
  readonly changes: readonly Change[];
};

/** Replays the history once: the calculations that become part of the base, then those that are kept. */
function decide(history: History, state: PositionState, policy: Policy, context: DetectionContext): Decided {
  const pruned = pruneHistory(history, context.now, state.incompleteFrom);
  const decided = findNewChanges(pruned, state, context);
  const { levels, changes, raised, stated } = decided;
  return {
    history: decided.history,
    raised,
    stated,
    isSettled: levels.margin.pending.length === 0,
    deeperLeftOut: countDeeperSteps(levels, history.base.levels) || undefined,
    present: describePresent(levels, policy),
    changes,
  };
}

/** The facts in the order of their calculations. */
function createFacts(
  read: readonly ReadCalculation[],
  added: readonly Calculation[],
  changes: readonly Change[],
  severity: MarginSettings['severity'],
): Fact[] {
  const data = new Map(read.map((one) => [one.calculation.position, one.data]));
  const calculated = added.map(({ position }) => ({
    position,
    fact: { type: 'settlementbus.position.calculated.v1', data: data.get(position) } as Fact,
  }));
  const changed = changes.map((change) => ({
    position: change.position,
    fact: withSeverity(toFact(change), severity),
  }));
  return [...calculated, ...changed]
    .sort((a, b) => (a.position < b.position ? -1 : Number(a.position > b.position)))
    .map(({ fact }) => fact);
}

function withSeverity(fact: Fact, severity: MarginSettings['severity']): Fact {
  switch (fact.type) {
    case 'settlementbus.margin.warning.v1':
      return { ...fact, data: { ...fact.data, severity: severity.warning } };
    case 'settlementbus.margin.breached.v1':
      return { ...fact, data: { ...fact.data, severity: severity.breached } };
    case 'settlementbus.margin.restored.v1':
      return { ...fact, data: { ...fact.data, severity: severity.restored } };
    default:
      return fact;
  }
}

function describePresent({ margin }: Levels, policy: Policy): PresentPosition | undefined {
  const calculation = margin.last?.calculation;
  if (calculation?.tradingMargin === undefined) return undefined;
  const { calculatedAt, tradingMargin, outstandingAmount } = calculation;
  const thresholds = resolveThresholds(policy, calculation);
  return {
    calculatedAt,
    tradingMargin,
    outstandingAmount,
    level: margin.level,
    thresholds: thresholds && describeThresholds(policy, thresholds, calculation),
  };
}
