import { isDeepStrictEqual } from 'node:util';
import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type Provider,
} from '@nestjs/common';
import { OperatorConfigFile, type OperatorConfig } from '@ssb/config';
import {
  FaultReporter,
  GatewayAccessMonitor,
  operationsWebhookTargets,
  reportConfigReloads,
} from '@ssb/faults';
import { observeKeys, openGatewayPassword, type GatewayPassword } from '@ssb/keys';
import {
  gatewayConnectionProvider,
  Metrics,
  outgoingConnectionProviders,
  OutgoingConnections,
  SETTINGS,
  type Logger,
} from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { archiveProvider } from './archive/archive-provider.js';
import { ConfigInUse } from './configuration/config-in-use.js';
import { DATABASE, LEASE_DATABASE } from './database/database-options.js';
import { databaseProviders } from './database/database-providers.js';
import { AttemptLog } from './deliveries/attempt-log.js';
import { DeliveryDispatcher } from './deliveries/delivery-dispatcher.js';
import { sinkTargets, SinkFactory } from './deliveries/sinks/sink-factory.js';
import { DeliveryOutbox } from './deliveries/outbox/delivery-outbox.js';
import { OpenProblems } from './deliveries/outbox/open-problems.js';
import { ParkedDeliveries } from './deliveries/outbox/parked-deliveries.js';
import { SinkStates } from './deliveries/outbox/sink-states.js';
import { DatabaseFaultCarrier } from './faults/database-fault-carrier.js';
import { DirectDeliveries } from './faults/direct-deliveries.js';
import { faultReporterProvider } from './faults/fault-reporter-provider.js';
import { OwnFaults } from './faults/own-faults.js';
import { SubscriberClock } from './faults/subscriber-clock.js';
import { HeartbeatsController } from './heartbeats/heartbeats.controller.js';
import { watchdogTargets } from './heartbeats/watchdog.js';
import { GATEWAY_PASSWORD, gatewayAccessProvider } from './reader/gateway-access.js';
import { ReaderDependencies } from './reader/reader-dependencies.js';
import { ReminderScheduler } from './reminders/reminder-scheduler.js';
import { requestWorkerProvider } from './requests/request-worker-provider.js';
import { StoredEventVerifier } from './receiver/stored-event-verifier.js';
import { Replica } from './replica/replica.js';
import { ArchiveRetention } from './retention/archive-retention.js';
import { OpenSilences } from './silences/open-silences.js';
import { SilenceKeeper } from './silences/silence-keeper.js';
import { openConfig, type Settings } from './settings.js';
import { SubscriberMetrics } from './subscriber-metrics.js';
import { SubscriberMonitoring } from './subscriber-monitoring.js';

/** An event passes the replica's `ReaderSession`, the archive, then the deliveries. */
const SUBSCRIBER: readonly Provider[] = [
  Replica,
  ReaderDependencies,
  archiveProvider,
  StoredEventVerifier,
  DeliveryOutbox,
  ParkedDeliveries,
  OpenProblems,
  SinkStates,
  SinkFactory,
  DeliveryDispatcher,
  requestWorkerProvider,
  ReminderScheduler,
  OpenSilences,
  SilenceKeeper,
  AttemptLog,
  ArchiveRetention,
  ConfigInUse,
  gatewayAccessProvider,
  SubscriberClock,
  DatabaseFaultCarrier,
  DirectDeliveries,
  faultReporterProvider,
  OwnFaults,
  SubscriberMetrics,
  SubscriberMonitoring,
];

/** Share of the shutdown timeout for attempts in flight; then they are aborted. */
const DRAIN_SHARE = 0.5;

/** Composes the process. Starts the subscriber with the app and stops it before the database closes. */
@Module({})
export class SubscriberModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  /** @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    return {
      module: SubscriberModule,
      controllers: [HeartbeatsController],
      providers: [
        { provide: OperatorConfigFile, useValue: config },
        { provide: GATEWAY_PASSWORD, useValue: await openGatewayPassword(settings, log) },
        ...outgoingConnectionProviders('subscriber', settings, [
          ...sinkTargets(config.current()),
          ...watchdogTargets(settings),
          ...operationsWebhookTargets(settings),
        ]),
        gatewayConnectionProvider(settings),
        ...databaseProviders(settings),
        ...SUBSCRIBER,
      ],
    };
  }

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly config: OperatorConfigFile,
    private readonly configInUse: ConfigInUse,
    private readonly connections: OutgoingConnections,
    @Inject(GATEWAY_PASSWORD) private readonly gatewayPassword: GatewayPassword,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LEASE_DATABASE) private readonly leaseDatabase: Database,
    private readonly replica: Replica,
    private readonly dispatcher: DeliveryDispatcher,
    private readonly reminders: ReminderScheduler,
    private readonly attemptLog: AttemptLog,
    private readonly retention: ArchiveRetention,
    private readonly gatewayAccess: GatewayAccessMonitor,
    private readonly clock: SubscriberClock,
    private readonly faults: FaultReporter,
    private readonly ownFaults: OwnFaults,
    metrics: Metrics,
  ) {
    observeKeys(metrics, { 'gateway-password': gatewayPassword.file });
    reportConfigReloads(config, { metrics, faults });
    config.onChange((changed) => this.reconfigure(changed));
  }

  onApplicationBootstrap(): void {
    this.faults.start();
    this.gatewayAccess.start();
    this.clock.start();
    this.replica.start();
    this.ownFaults.start();
    this.attemptLog.start();
    this.retention.start();
    this.config.watch();
  }

  /**
   * Applies a changed configuration without a restart to the channels, the verification and the deliveries. The previous configuration
   * completes what is in progress. Quarantined messages are evaluated again.
   */
  private async reconfigure(config: OperatorConfig): Promise<void> {
    this.connections.assertAllowedWebhooks(sinkTargets(config));
    const { alerts } = this.configInUse.current();
    const haveSinksChanged = !isDeepStrictEqual(config.alerts.sinks, alerts.sinks);
    const sinks = haveSinksChanged ? this.dispatcher.openSinks(config) : undefined;
    this.configInUse.replace(config);
    this.gatewayAccess.requirementsChanged();
    this.reminders.wake();
    await Promise.all([
      this.replica.session?.reconfigure(config),
      sinks && this.dispatcher.replaceSinks(sinks, this.drainMs),
    ]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.config.close();
    // A check of the gateway may wait for its response; the next reader must not.
    const accessStopped = this.gatewayAccess.stop();
    await this.replica.stop(this.drainMs);
    await accessStopped;
    this.clock.stop();
    await Promise.all([this.ownFaults.stop(), this.attemptLog.stop(), this.retention.stop()]);
    await this.dispatcher.close();
    await this.faults.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.gatewayPassword.close();
    await Promise.all([this.database.close(), this.leaseDatabase.close()]);
  }

  private get drainMs(): number {
    return this.settings.SHUTDOWN_TIMEOUT_MS * DRAIN_SHARE;
  }
}
