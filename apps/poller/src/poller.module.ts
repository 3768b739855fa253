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
import { ScheduleModule } from '@nestjs/schedule';
import { OperatorConfigFile } from '@ssb/config';
import type { DocumentStore } from '@ssb/documents';
import { operationsWebhookTargets } from '@ssb/faults';
import type { KeyRingFile } from '@ssb/keys';
import { ClockMonitor, outgoingConnectionProviders, type Logger } from '@ssb/platform';
import { QueueFaultReporting, readRedisClock, type EventQueue, type RedisConnection } from '@ssb/redis-queue';
import { DOCUMENTS, documentsProvider } from './documents/documents.provider.js';
import { DocumentRetention } from './documents/document-retention.js';
import { ProcessMonitoring } from './faults/process-monitoring.js';
import { Backfills } from './management/backfills.js';
import { FullRecords } from './management/full-records.js';
import { ManagementController } from './management/management.controller.js';
import { OpenItems } from './management/open-items.js';
import { PollerStateReader } from './management/poller-state.js';
import { PollerMetrics } from './metrics/poller-metrics.js';
import { ParticipantPollerFactory } from './participants/participant-poller-factory.js';
import { Participants } from './participants/participants.js';
import { planParticipants } from './participants/plan-participants.js';
import { pollerClockProvider, type PollerClock } from './poller-clock.js';
import { LargeStatements } from './records/large-statements.js';
import { RecordRetention } from './records/record-retention.js';
import { INTEGRITY_KEYS, QUEUE, REDIS, redisProviders } from './redis.js';
import { openConfig, type Settings } from './settings.js';
import { SubscriberWatch, subscriberWatchProvider } from './subscriber/subscriber-watch.js';

/** Composes the process. A ParticipantPollerFactory composes the poller of each participant. */
@Module({})
export class PollerModule
  implements
    OnModuleInit,
    OnApplicationBootstrap,
    OnModuleDestroy,
    BeforeApplicationShutdown,
    OnApplicationShutdown
{
  /** Reads CONFIG_FILE before anything is connected. @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    planParticipants(settings, config.current());
    return {
      module: PollerModule,
      imports: [ScheduleModule.forRoot()],
      controllers: [ManagementController],
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
        pollerClockProvider(settings),
        subscriberWatchProvider(settings),
        documentsProvider(settings),
        PollerMetrics,
        ParticipantPollerFactory,
        Participants,
        ProcessMonitoring,
        LargeStatements,
        RecordRetention,
        DocumentRetention,
        PollerStateReader,
        OpenItems,
        Backfills,
        FullRecords,
      ],
    };
  }

  constructor(
    @Inject(REDIS) private readonly redis: RedisConnection,
    @Inject(QUEUE) private readonly queue: EventQueue,
    @Inject(INTEGRITY_KEYS) private readonly integrityKeys: KeyRingFile,
    @Inject(ClockMonitor) private readonly clock: PollerClock,
    @Inject(DOCUMENTS) private readonly documents: DocumentStore | undefined,
    private readonly config: OperatorConfigFile,
    private readonly participants: Participants,
    private readonly monitoring: ProcessMonitoring,
    private readonly subscriberWatch: SubscriberWatch,
  ) {}

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
    await this.documents?.close();
    this.redis.disconnect();
  }
}
