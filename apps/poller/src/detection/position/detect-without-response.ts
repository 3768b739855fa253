import type { Detected, DetectionContext } from '../detection.js';
import { policyInForce } from './calculation-log.js';
import { createFacts, decideChanges, EMPTY_POSITION, type PositionState } from './detect-positions.js';
import { detectStaleness, firstPollOf } from './staleness.js';

/** Detects changes that only the passing of time causes, after a poll without a usable response. */
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
      : { ...state, ...decideChanges(state.log, state, policy, context), decidedAt: now.toISOString() };
  const firstPolledAt = firstPollOf(state, now);
  const previousStaleness = { stale: state.stale, firstPolledAt };
  const staleness = detectStaleness(previousStaleness, decided.log, [], settings.position, now);
  return {
    facts: [...createFacts([], [], changes, settings.margin.severity), ...staleness.facts],
    state: { ...decided, firstPolledAt, stale: staleness.stale },
    unreadable: [],
  };
}
