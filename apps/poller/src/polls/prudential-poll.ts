import type { AgreedClock } from '@ssb/platform';
import { precedenceOf, type Fact } from '@ssb/events';
import { addDays, toMarketDate } from '@ssb/market';
import { MAX_HORIZON_DAYS, type DetectionSettings } from '@ssb/config';
import type { Detected } from '../detection/detection.js';
import { calculationDocument, type PositionResponse } from '../detection/position/calculation.js';
import {
  detectPositions,
  detectWithoutResponse,
  type DetectedPosition,
} from '../detection/position/detect-positions.js';
import { formatPositionState, parsePositionState } from '../detection/position/position-state-schema.js';
import { firstDayToRead, type PositionState } from '../detection/position/position-state.js';
import type { FutureCalculationFaults } from '../faults/future-calculation-faults.js';
import type { SettingsAgreement } from '../lease/settings-agreement.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { MarketClients } from '../market/market-clients.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { PollerStateStore } from '../state/poller-state-store.js';
import { POSITION_PART, TermMemory } from '../state/saved-state.js';
import { describeLeftOut, toErrors, toUnreadable, toUnusable, type PollResult } from './responses.js';
import type { DetectionRecorder } from './detection-recorder.js';

export interface PrudentialPollDependencies {
  readonly participant: string;
  readonly settings: () => DetectionSettings;
  /** Past trading days that are read when there is no saved position. */
  readonly recoveryDays: number;
  readonly clock: Pick<AgreedClock, 'now' | 'span'>;
  /** Whether the replicas have the same settings. */
  readonly agreement: Pick<SettingsAgreement, 'isReached'>;
  readonly market: { readonly prudential: Pick<MarketClients['prudential'], 'prudentialRange'> };
  readonly state: Pick<PollerStateStore, 'currentServer' | 'readPosition'>;
  readonly recorder: Pick<
    DetectionRecorder,
    'record' | 'completePending' | 'reportUnreadable' | 'reportUnusableState'
  >;
  readonly futureCalculations: Pick<FutureCalculationFaults, 'report'>;
  readonly metrics: ParticipantMetrics;
}

interface SavedPosition {
  /** The connection that it was read from. */
  readonly server: number;
  readonly position: PositionState | undefined;
  readonly text: string | undefined;
  /** Whether another client changed it. */
  readonly isAltered: boolean;
}

/** Facts that are saved and queued together without a noticeable delay. */
const MAX_FACTS_AT_ONCE = 200;

/** Requests the calculations since the last known day, detects changes of the position and records them. */
export class PrudentialPoll {
  /** The position in Redis. Unknown at the start of a term of the lease, and after a new connection. */
  private readonly memory: TermMemory<SavedPosition>;

  constructor(private readonly dependencies: PrudentialPollDependencies) {
    this.memory = new TermMemory(dependencies.state.currentServer);
  }

  async run(token: FencingToken): Promise<PollResult> {
    const { participant, settings, clock, recorder, futureCalculations, metrics } = this.dependencies;
    const saved = await this.readSaved(token);
    const { position: previous } = saved;
    metrics.showPosition(previous?.present);
    const requestedAt = new Date();
    const response = await this.fetchCalculations(previous);
    const keepsThresholds = !this.dependencies.agreement.isReached(participant);
    // The response shows the operator's clock.
    const now = clock.now();
    const detected = detectPositions(previous, response, {
      participant,
      settings: settings(),
      now,
      keepsThresholds,
    });
    const unreadable = [
      ...response.unreadable.map((item) => toUnreadable(item, calculationDocument(item.values[0]))),
      ...detected.unreadable,
    ];
    recorder.reportUnreadable('calculation', unreadable);
    const rest = await this.recordLevels(token, detected, requestedAt);
    await this.record(token, saved, { ...detected, facts: rest }, requestedAt);
    futureCalculations.report(previous?.future ?? [], detected.future);
    metrics.showPosition(detected.state.present);
    return {
      hasUsableResponse: detected.readCount > 0 || isEmpty(response),
      failures: toErrors('prudential calculations', unreadable),
      unusable: toUnusable(unreadable, 'calculations'),
      // A response holds every requested calculation, so none that was unusable before can still be missing.
      isReadable: () => true,
      leftOut: describeLeftOut('calculations', detected.leftOut),
    };
  }

  /**
   * Records what follows from the time alone, after a poll without a usable response or instead of one. Redis is read only when this term has not
   * read it. @throws FencedOffError
   */
  async recordFailure(token: FencingToken): Promise<void> {
    const { participant, settings, clock } = this.dependencies;
    const requestedAt = new Date();
    const saved = this.memory.get(token) ?? (await this.readSaved(token));
    const context = { participant, settings: settings(), now: clock.now() };
    await this.record(token, saved, detectWithoutResponse(saved.position, context), requestedAt);
  }

  private async readSaved(token: FencingToken): Promise<SavedPosition> {
    const { state, recorder } = this.dependencies;
    const known = this.memory.get(token);
    const server = state.currentServer();
    const read = await state.readPosition(token);
    const parts = await recorder.completePending(token, read);
    const text = parts.get(POSITION_PART);
    const isKnown = known !== undefined && known.text === text;
    const position = isKnown ? known.position : text === undefined ? undefined : parsePositionState(text);
    if (text !== undefined && position === undefined) recorder.reportUnusableState(POSITION_PART);
    const saved = { server, position, text, isAltered: read.altered.has(POSITION_PART) };
    this.memory.set(token, server, saved);
    return saved;
  }

  /**
   * In a large response, the changed levels are queued first, so that they do not wait until thousands of events are saved.
   * @returns the facts to be recorded
   */
  private async recordLevels(
    token: FencingToken,
    { facts, announcedState }: DetectedPosition,
    requestedAt: Date,
  ): Promise<readonly Fact[]> {
    const levels = facts.length > MAX_FACTS_AT_ONCE ? facts.filter(isUrgent) : [];
    if (levels.length === 0) return facts;
    this.memory.forget();
    await this.dependencies.recorder.record(token, {
      part: POSITION_PART,
      facts: levels,
      state: formatPositionState(announcedState),
      savedState: undefined,
      requestedAt,
    });
    return facts.filter((fact) => !isUrgent(fact));
  }

  private async record(
    token: FencingToken,
    { server, position, text, isAltered }: SavedPosition,
    detected: Detected<PositionState>,
    requestedAt: Date,
  ): Promise<void> {
    const { recorder, metrics } = this.dependencies;
    const state = formatUnlessIdle(position, text, detected);
    // After a failure Redis may have a pending detection.
    this.memory.forget();
    await recorder.record(token, {
      part: POSITION_PART,
      facts: detected.facts,
      state,
      savedState: isAltered ? undefined : text,
      requestedAt,
    });
    const recorded = state === text && position !== undefined ? position : detected.state;
    this.memory.set(token, server, { server, position: recorded, text: state, isAltered: false });
    metrics.showFirstPoll(detected.state.firstPolledAt);
  }

  /**
   * Operation 1 to the end of the largest horizon, so that forecasts are known when the horizon of the settings becomes longer. While clocks
   * differ, the days of each clock are read.
   */
  private async fetchCalculations(previous: PositionState | undefined): Promise<PositionResponse> {
    const { market, clock, recoveryDays } = this.dependencies;
    const { earliest, latest } = clock.span();
    const firstDay = firstDayToRead(previous, earliest, recoveryDays);
    const to = addDays(toMarketDate(latest), MAX_HORIZON_DAYS);
    const response = await market.prudential.prudentialRange(firstDay, to);
    return { firstDay, ...response };
  }
}

function isEmpty({ value, unreadable }: PositionResponse): boolean {
  return value.length === 0 && unreadable.length === 0;
}

/** Keeps the saved text when only `decidedAt` changed. */
function formatUnlessIdle(
  previous: PositionState | undefined,
  savedState: string | undefined,
  { state, facts }: Detected<PositionState>,
): string {
  if (previous !== undefined && facts.length === 0) {
    const idle = formatPositionState({ ...state, decidedAt: previous.decidedAt });
    if (idle === savedState) return idle;
  }
  return formatPositionState(state);
}

function isUrgent(fact: Fact): boolean {
  return precedenceOf(fact) === 0;
}
