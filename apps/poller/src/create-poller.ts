import type { AgreedClock, Logger } from '@ssb/platform';
import type { DetectionSettings } from '@ssb/config';
import type { EventQueue } from '@ssb/redis-queue';
import type { FutureCalculationFaults } from './future-calculation-faults.js';
import type { SettingsAgreement } from './lease/settings-agreement.js';
import type { MarketClients } from './market/market-clients.js';
import { Poller } from './poll.js';
import type { ParticipantMetrics } from './participant-metrics.js';
import { AccessRecorder } from './polls/access-recorder.js';
import { PrudentialPoll } from './polls/prudential-poll.js';
import { DetectionRecorder } from './polls/record-detection.js';
import { SettlementDetections } from './polls/settlement-detections.js';
import { SettlementMemory } from './polls/settlement-memory.js';
import { SettlementPoll } from './polls/settlement-poll.js';
import { SettlementRequests } from './polls/settlement-requests.js';
import type { LargeStatements } from './records/large-statements.js';
import { readSchedule } from './poll-intervals.js';
import type { Settings } from './settings.js';
import type { PollerStateStore } from './state/poller-state.js';

export interface PollerDependencies {
  readonly clock: AgreedClock;
  readonly agreement: SettingsAgreement;
  readonly market: MarketClients;
  readonly state: PollerStateStore;
  readonly queue: EventQueue;
  readonly largeStatements: LargeStatements;
  readonly futureCalculations: FutureCalculationFaults;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/** @param detection how facts are detected, which may change */
export function createPoller(
  participant: string,
  settings: Settings,
  detection: () => DetectionSettings,
  {
    clock,
    agreement,
    market,
    state,
    queue,
    largeStatements,
    futureCalculations,
    metrics,
    log,
  }: PollerDependencies,
): Poller {
  const now = (): Date => clock.now();
  const recorder = new DetectionRecorder({ participant, now, state, queue, metrics, log });
  const common = { participant, settings: detection, now, market, state, recorder, metrics };
  const requests = new SettlementRequests({
    participant,
    settings: detection,
    schedule: readSchedule(settings),
    fetchesPerPoll: settings.SETTLEMENT_FETCHES_PER_POLL,
    now,
  });
  const { TIMELINE_LOOKBACK_DAYS: lookbackDays, TIMELINE_LOOKAHEAD_DAYS: lookaheadDays } = settings;
  return new Poller({
    prudential: new PrudentialPoll({
      ...common,
      clock,
      agreement,
      recoveryDays: settings.PRUDENTIAL_RECOVERY_DAYS,
      futureCalculations,
    }),
    settlement: new SettlementPoll({
      ...common,
      lookbackDays,
      requests,
      memory: new SettlementMemory({ state, recorder, onForget: () => requests.forget() }),
      detections: new SettlementDetections({ ...common, lookbackDays, lookaheadDays, largeStatements }),
    }),
    access: new AccessRecorder(common),
  });
}
