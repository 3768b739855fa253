import { MAX_HORIZON_DAYS, type DetectionSettings } from '@ssb/config';
import { addDays, toMarketDate } from '@ssb/market';
import type { AgreedClock } from '@ssb/platform';
import type { Detected } from '../detection/detection.js';
import { calculationDocument } from '../detection/digest.js';
import type { PositionResponse } from '../detection/position/calculation.js';
import { detectPositions, type PositionState } from '../detection/position/detect-positions.js';
import { detectWithoutResponse } from '../detection/position/detect-without-response.js';
import { firstDayToRead } from '../detection/position/first-day-to-read.js';
import { separateLevels } from '../detection/position/large-response.js';
import { formatPositionState, parsePositionState } from '../detection/position/position-state-schema.js';
import type { FutureCalculationFaults } from '../faults/future-calculation-faults.js';
import type { SettingsAgreement } from '../lease/settings-agreement.js';
import type { MarketClients } from '../market/market-clients.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { PollerStateStore } from '../state/poller-state-store.js';
import { POSITION_PART, TermMemory } from '../state/saved-state.js';
import type { DetectionRecorder } from './detection-recorder.js';
import { describeLeftOut, toErrors, toUnreadable, toUnusable, type PollResult } from './responses.js';
import type { UnreadableLog } from './unreadable-log.js';

export interface PrudentialPollDependencies {
  readonly participant: string;
  readonly settings: () => DetectionSettings;
  /** Past trading days that are read when there is no saved position. */
  readonly recoveryDays: number;
  readonly clock: Pick<AgreedClock, 'now' | 'span'>;
  /** Whether the replicas have the same settings. */
  readonly agreement: Pick<SettingsAgreement, 'isReached'>;
  readonly market: { readonly prudential: Pick<MarketClients['prudential'], 'prudentialRange'> };
  readonly state: Pick<PollerStateStore, 'currentServer' | 'readPart'>;
  readonly recorder: Pick<DetectionRecorder, 'record' | 'completePending'>;
  readonly unreadableLog: Pick<UnreadableLog, 'recordResponse' | 'recordState'>;
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

/** Requests the calculations since the last known day, detects changes of the position and records them. */
export class PrudentialPoll {
  /** The position in Redis. Unknown at the start of a term of the lease, and after a new connection. */
  private readonly memory: TermMemory<SavedPosition>;

  constructor(private readonly dependencies: PrudentialPollDependencies) {
    this.memory = new TermMemory(dependencies.state.currentServer);
  }

  async run(token: FencingToken): Promise<PollResult> {
    const { participant, settings, clock, agreement, unreadableLog, futureCalculations, metrics } =
      this.dependencies;
    const saved = await this.readSaved(token);
    const { position: previous } = saved;
    metrics.showPosition(previous?.present);
    const requestedAt = new Date();
    const response = await this.fetchCalculations(previous);
    const detected = detectPositions(previous, response, {
      participant,
      settings: settings(),
      // Read after the response, because that shows the operator's clock.
      now: clock.now(),
      keepsThresholds: !agreement.isReached(participant),
    });
    const unreadable = [
      ...response.unreadable.map((item) => toUnreadable(item, calculationDocument(item.values[0]))),
      ...detected.unreadable,
    ];
    unreadableLog.recordResponse('calculation', unreadable);
    const { levels, others } = separateLevels(detected.facts);
    if (levels.length > 0)
      await this.record(token, saved, { facts: levels, state: detected.announcedState }, requestedAt);
    await this.record(token, saved, { ...detected, facts: others }, requestedAt);
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
    const { state, recorder, unreadableLog } = this.dependencies;
    const known = this.memory.get(token);
    const server = state.currentServer();
    const read = await state.readPart(token, POSITION_PART);
    const parts = await recorder.completePending(token, read);
    const text = parts.get(POSITION_PART);
    const isKnown = known !== undefined && known.text === text;
    const position = isKnown ? known.position : text === undefined ? undefined : parsePositionState(text);
    if (text !== undefined && position === undefined) unreadableLog.recordState(POSITION_PART);
    const saved = { server, position, text, isAltered: read.altered.has(POSITION_PART) };
    this.memory.set(token, server, saved);
    return saved;
  }

  private async record(
    token: FencingToken,
    { server, position, text, isAltered }: SavedPosition,
    detected: Pick<Detected<PositionState>, 'facts' | 'state'>,
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
  { state, facts }: Pick<Detected<PositionState>, 'facts' | 'state'>,
): string {
  if (previous !== undefined && facts.length === 0) {
    const idle = formatPositionState({ ...state, decidedAt: previous.decidedAt });
    if (idle === savedState) return idle;
  }
  return formatPositionState(state);
}
