import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { findParticipant, listChannels, OperatorConfigFile } from '@ssb/config';
import { FaultReporter, operationsWebhookTargets } from '@ssb/faults';
import type { KeyRingFile } from '@ssb/keys';
import {
  AgreedClock,
  ClockMonitor,
  Liveness,
  LOGGER,
  outgoingConnectionProviders,
  OutgoingConnections,
  Readiness,
  SETTINGS,
  type Logger,
} from '@ssb/platform';
import { QueueFaultReporting, readRedisClock, type EventQueue, type RedisConnection } from '@ssb/redis-queue';
import { BackfillRunner } from './backfill/backfill-runner.js';
import { FutureCalculationFaults } from './faults/future-calculation-faults.js';
import { ParticipantFaults } from './faults/participant-faults.js';
import { ProcessMonitoring } from './faults/process-monitoring.js';
import { Lease } from './lease/lease.js';
import { Replicas } from './lease/replicas.js';
import { openMarketClients } from './market/market-clients.js';
import { ParticipantMetrics } from './metrics/participant-metrics.js';
import { PollerMetrics } from './metrics/poller-metrics.js';
import type { ParticipantOptions } from './participants/configured-participant.js';
import { Heartbeats } from './participants/heartbeats.js';
import { Participant } from './participants/participant.js';
import { Participants } from './participants/participants.js';
import { planParticipants } from './participants/plan-participants.js';
import { PollOutcomes } from './participants/poll-outcomes.js';
import { clockProvider, type PollerClock } from './poller-clock.js';
import { DetectionRecorder } from './polls/detection-recorder.js';
import { overdueAfterMs, pollIntervals, settlementLimits } from './polls/poll-intervals.js';
import { PrudentialPoll } from './polls/prudential-poll.js';
import { SettlementPoll } from './polls/settlement-poll.js';
import { UnreadableLog } from './polls/unreadable-log.js';
import { LargeStatements } from './records/large-statements.js';
import { RecordRetention } from './records/record-retention.js';
import { INTEGRITY_KEYS, QUEUE, REDIS, redisProviders } from './redis.js';
import { openConfig, type Settings } from './settings.js';
import { pollerKeys } from './state/poller-keys.js';
import { PollerStateStore } from './state/poller-state-store.js';
import { SubscriberWatch, subscriberWatchProvider } from './subscriber/subscriber-watch.js';

/** Composes the process, and each participant that it polls. */
@Module({})
export class PollerModule
  implements
    OnModuleInit,
    OnApplicationBootstrap,
    OnModuleDestroy,
    BeforeApplicationShutdown,
    OnApplicationShutdown
{
  /** Opens and closes participants as CONFIG_FILE names them, and shares their leases with other replicas. */
  private readonly participants: Participants;

  /** Reads CONFIG_FILE before anything is connected. @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    planParticipants(settings, config.current());
    return {
      module: PollerModule,
      imports: [ScheduleModule.forRoot()],
      providers: [
        { provide: OperatorConfigFile, useValue: config },
        ...outgoingConnectionProviders('poller', settings, operationsWebhookTargets(settings), {
          hasParticipants: true,
        }),
        ...redisProviders(settings),
        ...QueueFaultReporting.providers('poller', settings, {
          redis: REDIS,
          queue: QUEUE,
          integrityKeys: INTEGRITY_KEYS,
        }),
        clockProvider(settings),
        subscriberWatchProvider(settings),
        PollerMetrics,
        ProcessMonitoring,
        LargeStatements,
        RecordRetention,
      ],
    };
  }

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(QUEUE) private readonly queue: EventQueue,
    @Inject(INTEGRITY_KEYS) private readonly integrityKeys: KeyRingFile,
    @Inject(ClockMonitor) private readonly clock: PollerClock,
    @Inject(LOGGER) private readonly log: Logger,
    private readonly config: OperatorConfigFile,
    private readonly connections: OutgoingConnections,
    private readonly largeStatements: LargeStatements,
    private readonly replicas: Replicas,
    private readonly registry: SchedulerRegistry,
    private readonly faults: FaultReporter,
    private readonly faultReporting: QueueFaultReporting,
    private readonly monitoring: ProcessMonitoring,
    private readonly subscriberWatch: SubscriberWatch,
    private readonly metrics: PollerMetrics,
    readiness: Readiness,
    liveness: Liveness,
  ) {
    this.participants = new Participants({
      settings,
      config,
      clock,
      replicas,
      faults,
      metrics,
      readiness,
      liveness,
      log,
      open: (options) => this.openParticipant(options),
    });
  }

  /** Opens each participant of CONFIG_FILE. Later changes of the file open, close or replace single participants. */
  async onModuleInit(): Promise<void> {
    await this.participants.open();
  }

  onApplicationBootstrap(): void {
    this.monitoring.start();
    this.config.watch();
    this.subscriberWatch.start();
    this.clock.watch(async () => this.clock.observe('redis', await readRedisClock(this.redis)));
    this.participants.start();
  }

  /** Composes a participant: its lease, its connections to the operator, its saved state and its polls. */
  private async openParticipant(options: ParticipantOptions): Promise<Participant> {
    const { code: participant, access, detection, share } = options;
    const { settings, redis, queue, integrityKeys, config, faultReporting, largeStatements } = this;
    const { QUEUE_PREFIX: prefix } = settings;
    const log = this.log.child({ participant });
    const metrics = new ParticipantMetrics(participant, this.metrics);
    const clock = new AgreedClock(this.clock);
    const now = (): Date => clock.now();
    const keys = pollerKeys(prefix, participant);

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

    const reportDiscarded = faultReporting.discardedState;
    const state = new PollerStateStore({
      redis,
      keys,
      integrityKeys,
      onDiscarded: (discarded) => reportDiscarded.report('poller-state', participant, discarded),
    });
    const recorder = new DetectionRecorder({ participant, now, state, queue, metrics, log });
    const unreadableLog = new UnreadableLog(metrics, log);
    const common = {
      participant,
      settings: detection,
      now,
      market,
      state,
      recorder,
      unreadableLog,
      metrics,
      log,
    };

    const futureCalculations = new FutureCalculationFaults(participant, this.faults);
    const prudential = new PrudentialPoll({
      ...common,
      clock,
      agreement,
      recoveryDays: settings.PRUDENTIAL_RECOVERY_DAYS,
      futureCalculations,
    });

    const settlement = new SettlementPoll({ ...common, ...settlementLimits(settings), largeStatements });

    const faults = new ParticipantFaults({
      participant,
      reporter: this.faults,
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
    const outcomes = new PollOutcomes({
      ...common,
      settings,
      detection,
      lease,
      faults,
      prudential,
    });

    const heartbeats = new Heartbeats({
      ...common,
      channels: () => listChannels(config.current()),
      intervalMs: settings.HEARTBEAT_INTERVAL_MS,
      pollIntervalMs: pollIntervals(settings),
      queue,
    });
    const backfill = new BackfillRunner({
      ...common,
      redis,
      prefix,
      integrityKeys,
      queue,
      largeStatements,
      requestIntervalMs: settings.BACKFILL_REQUEST_INTERVAL_MS,
      faults,
      onDiscarded: (discarded) => reportDiscarded.report('backfill', participant, discarded),
    });

    return new Participant({
      code: participant,
      settings,
      registry: this.registry,
      lease,
      market,
      polls: { prudential, settlement },
      outcomes,
      faults,
      futureCalculations,
      heartbeats,
      backfill,
      metrics,
      log,
    });
  }

  /** Starts no more polls. */
  async onModuleDestroy(): Promise<void> {
    this.participants.stopPolls();
    this.clock.stop();
    await this.subscriberWatch.stop();
    await this.config.close();
  }

  /** Completes running polls, then releases the leases, so that other replicas take over at once. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.participants.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.monitoring.stop();
    await this.integrityKeys.close();
    await this.queue.close();
    await this.participants.close();
    this.redis.disconnect();
  }
}
