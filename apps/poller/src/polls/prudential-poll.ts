import { MAX_HORIZON_DAYS, type DetectionSettings } from '@ssb/config';
import { addDays, toMarketDate } from '@ssb/market';
import type { AgreedClock } from '@ssb/platform';
import type { Detected } from '../detection/detection.js';
import { calculationDocument } from '../detection/digest.js';
import { listMissingCalculation } from '../detection/open-items.js';
import type { PositionResponse } from '../detection/position/calculation.js';
import { detectPositions, type PositionState } from '../detection/position/detect-positions.js';
import { detectWithoutResponse } from '../detection/position/detect-without-response.js';
import { firstDayToRead } from '../detection/position/first-day-to-read.js';
import { splitLargeResponse } from '../detection/position/large-response.js';
import { formatPositionState, parsePositionState } from '../detection/position/position-state-schema.js';
import type { FutureCalculationFaults } from '../faults/future-calculation-faults.js';
import type { SettingsAgreement } from '../lease/settings-agreement.js';
import type { MarketClients } from '../market/market-clients.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { PollerStateStore } from '../state/poller-state-store.js';
import { SavedPart, type SavedPartDependencies, type SavedValue } from '../state/saved-part.js';
import { POSITION_PART } from '../state/saved-state.js';
import { describeLeftOut, toErrors, toUnreadable, toUnusable, type PollResult } from './responses.js';
import type { UnreadableLog } from './unreadable-log.js';

export interface PrudentialPollDependencies extends SavedPartDependencies {
  readonly participant: string;
  readonly store: SavedPartDependencies['store'] & Pick<PollerStateStore, 'saveOpenItems'>;
  readonly settings: () => DetectionSettings;
  /** Past trading days that are read when there is no saved position. */
  readonly recoveryDays: number;
  readonly clock: Pick<AgreedClock, 'now' | 'span'>;
  /** Whether the replicas have the same settings. */
  readonly agreement: Pick<SettingsAgreement, 'isReached'>;
  readonly market: { readonly prudential: Pick<MarketClients['prudential'], 'prudentialRange'> };
  readonly unreadableLog: Pick<UnreadableLog, 'recordResponse' | 'recordState'>;
  readonly futureCalculations: Pick<FutureCalculationFaults, 'report'>;
  readonly metrics: ParticipantMetrics;
}

/** Requests the calculations since the last known day, detects changes of the position and records them. */
export class PrudentialPoll {
  private readonly savedPosition: SavedPart<PositionState>;

  constructor(private readonly dependencies: PrudentialPollDependencies) {
    this.savedPosition = new SavedPart(POSITION_PART, parsePositionState, dependencies);
  }

  async run(token: FencingToken): Promise<PollResult> {
    const { participant, settings, clock, agreement, unreadableLog, futureCalculations, metrics } =
      this.dependencies;
    const saved = await this.savedPosition.completeAndRead(token);
    const { state: previous } = saved;
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
    // Only the facts of a large response are split; otherwise `levels` is empty.
    const { levels, others } = splitLargeResponse(detected.facts);
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
   * Records changes that only the passing of time causes. Called when a poll fails or is paused. Redis is read only when this term has not
   * read it. @throws FencedOffError
   */
  async recordFailure(token: FencingToken): Promise<void> {
    const { participant, settings, clock } = this.dependencies;
    const requestedAt = new Date();
    const saved = await this.savedPosition.knownOrRead(token);
    const context = { participant, settings: settings(), now: clock.now() };
    await this.record(token, saved, detectWithoutResponse(saved.state, context), requestedAt);
  }

  private async record(
    token: FencingToken,
    saved: SavedValue<PositionState>,
    { facts, state }: Pick<Detected<PositionState>, 'facts' | 'state'>,
    requestedAt: Date,
  ): Promise<void> {
    const { state: previous, text: savedText } = saved;
    // When only `decidedAt` changed, the saved text is kept.
    const idle =
      previous !== undefined && facts.length === 0
        ? formatPositionState({ ...state, decidedAt: previous.decidedAt })
        : undefined;
    const text = idle !== undefined && idle === savedText ? idle : formatPositionState(state);
    await this.savedPosition.record(token, saved, { facts, state, text, requestedAt });
    const { metrics, store, settings, clock } = this.dependencies;
    metrics.showFirstPoll(state.firstPolledAt);
    const items = listMissingCalculation(state.stale, { settings: settings(), now: clock.now() });
    await store.saveOpenItems(token, 'prudential', items);
  }

  /**
   * Requests operation 1 up to the largest horizon, so that a longer horizon in the settings finds its forecasts. While clocks differ, the days
   * of each clock are read.
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
