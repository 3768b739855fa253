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
  splitLog,
  startReading,
  type CalculationLog,
} from './calculation-log.js';
import { pruneLog } from './fold-levels.js';
import type { Levels } from './levels/levels.js';
import { announceAll, findAnnouncements, toFact } from './announcements.js';
import {
  describeThresholds,
  findMissingLimits,
  policyOf,
  resolveThresholds,
  type Policy,
} from './levels/thresholds.js';
import { countDeeperSteps, listUnannounced } from './unannounced.js';
import { EMPTY_POSITION, type PositionState, type PresentPosition } from './position-state.js';
import { detectStaleness, firstPollOf } from './staleness.js';

export interface DetectedPosition extends Detected<PositionState> {
  /** Calculations whose `calculatedAt` is in the future. */
  readonly future: readonly FutureCalculation[];
  /** The number of calculations that could be read, future ones included. */
  readonly readCount: number;
  /** To be saved after the changed levels are queued, before the other facts are. */
  readonly announcedState: PositionState;
}

/** Detects what a response of operation 1 (document 000) says about the position. */
export function detectPositions(
  previous: PositionState | undefined,
  response: PositionResponse,
  context: DetectionContext,
): DetectedPosition {
  const { participant, settings, now } = context;
  const state = previous ?? EMPTY_POSITION;
  const saved = context.keepsThresholds === true ? policyInForce(state.log) : undefined;
  const policy = saved ?? policyOf(settings);
  const { read, unreadable, isIncomplete, ...found } = readCalculations(participant, response, now);
  const before = applyPolicy(startReading(state.log, response.firstDay), policy, state.decidedAt);
  const { log, added, late } = addCalculations(
    before,
    read.map(({ calculation }) => calculation),
    response.firstDay,
  );
  const incompleteFrom = findIncompleteDay(state, response, isIncomplete);
  // An empty response does not show that a future calculation was withdrawn.
  const future = response.value.length === 0 ? state.future : found.future;
  const next = { ...state, incompleteFrom };
  const { changes, ...decided } = isDecided(next, log, now)
    ? { ...next, changes: [] }
    : decide(log, next, policy, context);
  const firstPolledAt = firstPollOf(state, now);
  const pause = detectStaleness({ stale: state.stale, firstPolledAt }, log, added, settings.position, now);
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
    leftOut: [...listLeftOut(decided.log), ...listUnannounced(decided)],
    future,
    readCount: read.length + found.future.length,
    announcedState: announceOnly({ ...state, log: before }, decided, changes, context),
  };
}

/**
 * The state before the calculations, with the changed levels as announced. It counts as settled until the calculations are read again, because
 * a level must not be corrected without them.
 */
function announceOnly(
  state: PositionState,
  { announced, log: { revisions } }: Pick<PositionState, 'announced' | 'log'>,
  changes: readonly Change[],
  context: DetectionContext,
): PositionState {
  const known = new Set(state.log.revisions);
  const corrections = revisions.filter((revision) => revision.kind === 'correction' && !known.has(revision));
  return {
    ...state,
    log: { ...state.log, revisions: [...state.log.revisions, ...corrections] },
    announced: { events: announceAll(state.announced, changes, context), levels: announced.levels },
    isSettled: true,
  };
}

/** Detects what follows from the time alone, after a poll without a usable response. */
export function detectWithoutResponse(
  previous: PositionState | undefined,
  context: DetectionContext,
): Detected<PositionState> {
  const { settings, now } = context;
  const state = previous ?? EMPTY_POSITION;
  const policy = policyInForce(state.log);
  // Only pending levels are decided here. Changed settings apply with the next response.
  const { changes, ...decided } =
    state.isSettled || policy === undefined
      ? { ...state, changes: [] }
      : { ...state, ...decide(state.log, state, policy, context), decidedAt: now.toISOString() };
  const firstPolledAt = firstPollOf(state, now);
  const pauses = { stale: state.stale, firstPolledAt };
  const pause = detectStaleness(pauses, decided.log, [], settings.position, now);
  return {
    facts: [...createFacts([], [], changes, settings.margin.severity), ...pause.facts],
    state: { ...decided, firstPolledAt, stale: pause.stale },
    unreadable: [],
  };
}

/** The first trading day to read until a response is complete. An empty response does not change it. */
function findIncompleteDay(
  { incompleteFrom }: PositionState,
  { value, unreadable, firstDay }: PositionResponse,
  isIncomplete: boolean,
): PositionState['incompleteFrom'] {
  if (isIncomplete || !unreadable.every(hasOnlyUnsetDates)) return firstDay;
  return value.length === 0 ? incompleteFrom : undefined;
}

/** Whether the log is unchanged and nothing follows from the time alone, so the levels stay the same. */
function isDecided(state: PositionState, log: CalculationLog, now: Date): boolean {
  return state.isSettled && log === state.log && splitLog(log, now, state.incompleteFrom) === undefined;
}

type Decided = Pick<PositionState, 'log' | 'announced' | 'isSettled' | 'deeperLeftOut' | 'present'> & {
  readonly changes: readonly Change[];
};

/** Folds the calculations that become part of the base, then those that are kept, and compares the changes with what was announced. */
function decide(
  log: CalculationLog,
  state: PositionState,
  policy: Policy,
  context: DetectionContext,
): Decided {
  const pruned = pruneLog(log, context.now, state.incompleteFrom);
  const decided = findAnnouncements(pruned, state.announced, context);
  const { levels, changes, announced } = decided;
  return {
    log: decided.log,
    announced,
    isSettled: levels.margin.pending.length === 0,
    deeperLeftOut: countDeeperSteps(levels, log.base.levels) || undefined,
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
  const data = new Map(read.map((one) => [one.calculation.sortKey, one.data]));
  const calculated = added.map(({ sortKey }) => ({
    sortKey,
    fact: { type: 'settlementbus.position.calculated.v1', data: data.get(sortKey) } as Fact,
  }));
  const changed = changes.map((change) => ({
    sortKey: change.sortKey,
    fact: withSeverity(toFact(change), severity),
  }));
  return [...calculated, ...changed]
    .sort((a, b) => (a.sortKey < b.sortKey ? -1 : Number(a.sortKey > b.sortKey)))
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
