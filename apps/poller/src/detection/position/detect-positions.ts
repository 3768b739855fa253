import type { MarginSettings } from '@ssb/config';
import type { Fact } from '@ssb/events';
import type { MarketDate } from '@ssb/market';
import type { Detected, DetectionContext } from '../detection.js';
import { decideAnnouncements, toFact, type Announced } from './announcements.js';
import {
  addCalculations,
  applyPolicy,
  EMPTY_LOG,
  policyInForce,
  startReading,
  type CalculationLog,
} from './calculation-log.js';
import {
  readCalculations,
  type Calculation,
  type PositionResponse,
  type ReadCalculation,
} from './calculation.js';
import { selectSaved, type FutureCalculation } from './future-calculations.js';
import { announceLevelsOnly } from './large-response.js';
import type { Change } from './levels/change.js';
import { policyOf, type Policy } from './levels/thresholds.js';
import { describePresent, type PresentPosition } from './present-position.js';
import { isPrunable, pruneLog } from './prune-log.js';
import { detectStaleness, firstPollOf, type StalePosition } from './staleness.js';
import { countDeeperSteps, findMissingLimits, listUnannounced } from './unannounced.js';

/** The state that is saved between two responses of operation 1. */
export interface PositionState {
  /** RFC 3339 UTC. */
  readonly decidedAt: string;
  readonly log: CalculationLog;
  readonly announced: Announced;
  /** Whether the passing of time changes no level, because none is pending. */
  readonly isSettled: boolean;
  /** The first trading day of the last response, when a calculation of it could not be read. */
  readonly incompleteFrom?: MarketDate | undefined;
  /** How many deeper steps of a breach were left out, counted in the kept calculations. */
  readonly deeperLeftOut?: number | undefined;
  /** Calculations whose `calculatedAt` is in the future. */
  readonly future: readonly FutureCalculation[];
  /** RFC 3339 UTC. Absent before the first poll. */
  readonly firstPolledAt?: string | undefined;
  readonly stale?: StalePosition | undefined;
  readonly present?: PresentPosition | undefined;
}

export const EMPTY_POSITION: PositionState = {
  decidedAt: new Date(0).toISOString(),
  log: EMPTY_LOG,
  announced: { events: [], levels: {} },
  isSettled: false,
  future: [],
};

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
  const calculations = read.map(({ calculation }) => calculation);
  const { log, added, addedBeforeBase } = addCalculations(before, calculations, response.firstDay);
  // An empty response does not show that a calculation can be read now, or that a future one was withdrawn.
  const isEmpty = response.value.length === 0;
  const known = isEmpty ? state.incompleteFrom : undefined;
  const incompleteFrom = isIncomplete ? response.firstDay : known;
  const future = isEmpty ? state.future : found.future;
  const next = { ...state, incompleteFrom };
  const { changes, ...decided } = isDecided(next, log, now)
    ? { ...next, changes: [] }
    : decideChanges(log, next, policy, context);
  const firstPolledAt = firstPollOf(state, now);
  const facts = createFacts(read, [...addedBeforeBase, ...added], changes, settings.margin.severity);
  const previousStaleness = { stale: state.stale, firstPolledAt };
  const staleness = detectStaleness(previousStaleness, log, added, settings.position, now);
  return {
    facts: [...facts, ...staleness.facts],
    state: {
      ...decided,
      decidedAt: now.toISOString(),
      incompleteFrom,
      future: selectSaved(future),
      firstPolledAt,
      stale: staleness.stale,
    },
    unreadable: [...unreadable, ...findMissingLimits(policy, read)],
    leftOut: listUnannounced(decided),
    future,
    readCount: read.length + found.future.length,
    announcedState: announceLevelsOnly({ ...state, log: before }, decided, changes, context),
  };
}

/** Whether the log is unchanged and nothing follows from the time alone, so the levels stay the same. */
function isDecided(state: PositionState, log: CalculationLog, now: Date): boolean {
  return state.isSettled && log === state.log && !isPrunable(log, now, state.incompleteFrom);
}

type DecidedChanges = Pick<PositionState, 'log' | 'announced' | 'isSettled' | 'deeperLeftOut' | 'present'> & {
  readonly changes: readonly Change[];
};

/** Moves the oldest calculations of the log to its base, then decides what is announced. */
export function decideChanges(
  log: CalculationLog,
  state: PositionState,
  policy: Policy,
  context: DetectionContext,
): DecidedChanges {
  const pruned = pruneLog(log, context.now, state.incompleteFrom);
  const { levels, ...decided } = decideAnnouncements(pruned, state.announced, context);
  return {
    ...decided,
    isSettled: levels.margin.pending.length === 0,
    deeperLeftOut: countDeeperSteps(levels, log.base.levels) || undefined,
    present: describePresent(levels, policy),
  };
}

/** The facts of new calculations and changed levels, in the order of their calculations. */
export function createFacts(
  read: readonly ReadCalculation[],
  added: readonly Calculation[],
  changes: readonly Change[],
  severities: MarginSettings['severity'],
): Fact[] {
  const data = new Map(read.map((one) => [one.calculation.sortKey, one.data]));
  const calculated = added.map(({ sortKey }) => ({
    sortKey,
    fact: { type: 'settlementbus.position.calculated.v1', data: data.get(sortKey) } as Fact,
  }));
  const changed = changes.map((change) => ({ sortKey: change.sortKey, fact: toFact(change, severities) }));
  return [...calculated, ...changed]
    .sort((a, b) => (a.sortKey < b.sortKey ? -1 : Number(a.sortKey > b.sortKey)))
    .map(({ fact }) => fact);
}
