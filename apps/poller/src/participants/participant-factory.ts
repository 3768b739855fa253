import { Inject, Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import {
  findParticipant,
  findRoute,
  listChannels,
  OperatorConfigFile,
  type DetectionSettings,
} from '@ssb/config';
import { FaultReporter } from '@ssb/faults';
import type { KeySource } from '@ssb/keys';
import { AgreedClock, ClockMonitor, LOGGER, OutgoingConnections, SETTINGS, type Logger } from '@ssb/platform';
import {
  BackfillStore,
  QueueFaultReporting,
  RecordStore,
  type EventQueue,
  type RedisConnection,
} from '@ssb/redis-queue';
import { BackfillDetections } from '../backfill/backfill-detections.js';
import { BackfillRunner } from '../backfill/backfill-runner.js';
import { FutureCalculationFaults } from '../faults/future-calculation-faults.js';
import { ParticipantFaults } from '../faults/participant-faults.js';
import type { LeaseShare } from '../lease/lease-share.js';
import { Lease } from '../lease/lease.js';
import { Replicas } from '../lease/replicas.js';
import { openMarketClients } from '../market/market-clients.js';
import type { ParticipantAccess } from '../market/participant-access.js';
import { ParticipantMetrics } from '../metrics/participant-metrics.js';
import { PollerMetrics } from '../metrics/poller-metrics.js';
import type { PollerClock } from '../poller-clock.js';
import { AccessRecorder } from '../polls/access-recorder.js';
import { DetectionRecorder } from '../polls/detection-recorder.js';
import { overdueAfterMs, pollIntervals, readSchedule } from '../polls/poll-intervals.js';
import { PrudentialPoll } from '../polls/prudential-poll.js';
import { describeLeftOut } from '../polls/responses.js';
import { SettlementDetections } from '../polls/settlement-detections.js';
import { SettlementMemory } from '../polls/settlement-memory.js';
import { SettlementPoll } from '../polls/settlement-poll.js';
import { SettlementRequests } from '../polls/settlement-requests.js';
import { LargeStatements } from '../records/large-statements.js';
import { INTEGRITY_KEYS, QUEUE, REDIS } from '../redis.js';
import type { Settings } from '../settings.js';
import { pollerKeys } from '../state/poller-keys.js';
import { PollerStateStore } from '../state/poller-state-store.js';
import { Heartbeats } from './heartbeats.js';
import { Participant } from './participant.js';
import { PollOutcomes } from './poll-outcomes.js';

export interface ParticipantOptions {
  readonly code: string;
  readonly access: ParticipantAccess;
  /** How facts are detected, which may change. */
  readonly detection: () => DetectionSettings;
  /** Which leases this replica may hold. */
  readonly share: LeaseShare;
  /** Called after each check of the files of the access. */
  readonly onFileCheck: () => void;
}

/** Composes a participant: its connections to the operator, its lease, its saved state and its polls. */
@Injectable()
export class ParticipantFactory {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(QUEUE) private readonly queue: EventQueue,
    @Inject(INTEGRITY_KEYS) private readonly integrityKeys: KeySource,
    @Inject(ClockMonitor) private readonly clock: PollerClock,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly config: OperatorConfigFile,
    private readonly connections: OutgoingConnections,
    private readonly records: RecordStore,
    private readonly replicas: Replicas,
    private readonly registry: SchedulerRegistry,
    private readonly faultReporting: QueueFaultReporting,
    private readonly faultReporter: FaultReporter,
    private readonly metrics: PollerMetrics,
  ) {}

  /** @throws the errors of `openMarketClients` */
  async open(options: ParticipantOptions): Promise<Participant> {
    const { code: participant, access, detection, share } = options;
    const { settings, redis, queue, integrityKeys, config, registry, faultReporting } = this;
    const log = this.log.child({ participant });
    const metrics = new ParticipantMetrics(participant, this.metrics);
    const marketClock = new AgreedClock(this.clock);
    const now = (): Date => marketClock.now();
    const keys = pollerKeys(settings.QUEUE_PREFIX, participant);

    const { holder, agreement } = this.replicas;
    const lease = new Lease({ redis, keys, participant, holder, share, ttlMs: settings.LEASE_TTL_MS });
    const market = await openMarketClients(participant, access, settings, {
      connections: this.connections,
      redis,
      // After the end of the lease another replica reads the clock.
      onClockReading: (source, reading) => {
        if (lease.heldToken() !== undefined) this.clock.observe(source, reading);
      },
      metrics,
      log,
    }).catch((error: unknown) => {
      metrics.remove();
      throw error;
    });

    const state = new PollerStateStore({
      redis,
      keys,
      integrityKeys,
      onDiscarded: (discarded) =>
        faultReporting.discardedState.report('poller-state', participant, discarded),
    });
    const recorder = new DetectionRecorder({ participant, now, state, queue, metrics, log });
    const largeStatements = new LargeStatements({
      routeOf: (type) => findRoute(config.current(), type),
      store: this.records,
      metrics: this.metrics,
      log,
    });

    const common = { participant, settings: detection, now, market, state, recorder, metrics };
    const futureCalculations = new FutureCalculationFaults(participant, this.faultReporter);
    const prudential = new PrudentialPoll({
      ...common,
      clock: marketClock,
      agreement,
      recoveryDays: settings.PRUDENTIAL_RECOVERY_DAYS,
      futureCalculations,
    });
    const requests = new SettlementRequests({
      ...common,
      schedule: readSchedule(settings),
      fetchesPerPoll: settings.SETTLEMENT_FETCHES_PER_POLL,
    });
    const { TIMELINE_LOOKBACK_DAYS: lookbackDays, TIMELINE_LOOKAHEAD_DAYS: lookaheadDays } = settings;
    const settlement = new SettlementPoll({
      ...common,
      lookbackDays,
      requests,
      memory: new SettlementMemory({ state, recorder, onForget: () => requests.forget() }),
      detections: new SettlementDetections({ ...common, lookbackDays, lookaheadDays, largeStatements }),
    });

    const faults = new ParticipantFaults({
      participant,
      reporter: this.faultReporter,
      now,
      connection: (name) => market.connection(name),
      listLastingTopics: () => faultReporting.listLastingTopics(),
      onReadFailure: (err) => log.error({ err }, 'fault access failed'),
      isNamed: () => findParticipant(config.current(), participant) !== undefined,
      overdueAfterMs: overdueAfterMs(settings),
    });
    market.onFileCheck(() => {
      faults.check();
      options.onFileCheck();
    });
    const backfill = new BackfillRunner({
      ...common,
      store: new BackfillStore({
        redis,
        prefix: settings.QUEUE_PREFIX,
        participant,
        keys: integrityKeys,
        onDiscarded: (discarded) => faultReporting.discardedState.report('backfill', participant, discarded),
      }),
      detections: new BackfillDetections({ ...common, largeStatements }),
      queue,
      hasSpareRequest: (name) => market.hasSpareRequest(name),
      requestIntervalMs: settings.BACKFILL_REQUEST_INTERVAL_MS,
      onQueued: (type) => this.metrics.backfilled.inc({ type }),
      onLeftOut: (leftOut) => faults.showBackfill(describeLeftOut('backfill', leftOut)),
      log,
    });
    const heartbeats = new Heartbeats({
      ...common,
      channels: () => listChannels(config.current()),
      intervalMs: settings.HEARTBEAT_INTERVAL_MS,
      pollIntervalMs: pollIntervals(settings),
      queue,
      log,
    });
    const outcomes = new PollOutcomes({
      ...common,
      settings,
      lease,
      faults,
      access: new AccessRecorder(common),
      onPollFailed: {
        prudential: (token) => prudential.recordFailure(token),
        settlement: () => Promise.resolve(),
      },
      log,
    });
    return new Participant(participant, {
      settings,
      registry,
      lease,
      market,
      polls: {
        prudential: (token) => prudential.run(token),
        settlement: (token, mayContinue) => settlement.run(token, mayContinue),
      },
      outcomes,
      faults,
      futureCalculations,
      heartbeats,
      backfill,
      metrics,
      log,
    });
  }
}
