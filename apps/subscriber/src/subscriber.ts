import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { listReadChannels, OperatorConfigFile, type ConfigSource, type OperatorConfig } from '@ssb/config';
import { FaultReporter, GatewayAccessMonitor } from '@ssb/faults';
import type { GatewayPassword } from '@ssb/keys';
import type { ClientConnection } from '@ssb/net';
import {
  GATEWAY_CONNECTION,
  Liveness,
  LOGGER,
  Metrics,
  Readiness,
  SETTINGS,
  WEBHOOK_CONNECTION,
  type Logger,
} from '@ssb/platform';
import { Database } from '@ssb/postgres';
import type { Archive } from './archive/archive.js';
import { openArchive } from './archive/open-archive.js';
import type { CatchUpLimits } from './catch-up/catch-up.js';
import { DATABASE, LEASE_DATABASE } from './database/database-options.js';
import { DeliveryDispatcher } from './deliveries/delivery-dispatcher.js';
import { DeliveryOutbox } from './deliveries/outbox/delivery-outbox.js';
import { ParkedDeliveries } from './deliveries/outbox/parked-deliveries.js';
import { SinkStates } from './deliveries/outbox/sink-states.js';
import { DatabaseFaultCarrier } from './faults/database-fault-carrier.js';
import type { DeliveryFaultsOptions } from './faults/delivery-faults.js';
import { DirectDeliveries } from './faults/direct-deliveries.js';
import { OwnFaults } from './faults/own-faults.js';
import { SubscriberClock } from './faults/subscriber-clock.js';
import { ReaderSession } from './reader/reader-session.js';
import { StoredEventVerifier } from './receiver/stored-event-verifier.js';
import type { ReaderToken } from './replica/reader-lease.js';
import { Replica } from './replica/replica.js';
import type { Settings } from './settings.js';
import { SubscriberMetrics } from './subscriber-metrics.js';

export const GATEWAY_PASSWORD = Symbol('GATEWAY_PASSWORD');
/** Token of `SubscriberLimits`; without a provider each has its default. */
const SUBSCRIBER_LIMITS = Symbol('SUBSCRIBER_LIMITS');

/** Times and sizes that tests reduce. */
export interface SubscriberLimits {
  readonly holdMs?: number;
  readonly deliveryFaultTimes?: Pick<DeliveryFaultsOptions, 'failingAfterMs' | 'intervalMs'>;
  readonly stuckAfterMs?: number;
  readonly catchUpLimits?: Partial<CatchUpLimits>;
  readonly supersededForMs?: number;
}

/** Longer than every attempt to write a batch, and than the pauses between them. */
const STUCK_AFTER_MS = 300_000;
/** Share of the shutdown timeout for attempts in flight; then they are aborted. */
const DRAIN_SHARE = 0.5;

/** Composes the subscriber, in the order of an event: lease, session, stream and receiver (`ReaderSession`), archive, deliveries. */
@Injectable()
export class Subscriber {
  /** The configuration in use. CONFIG_FILE may have changed already. */
  private config: OperatorConfig;
  private readonly subscriberMetrics: SubscriberMetrics;
  private readonly clock: SubscriberClock;
  private readonly gatewayAccess: GatewayAccessMonitor;
  private readonly archive: Archive;
  private readonly dispatcher: DeliveryDispatcher;
  private readonly replica: Replica;
  private readonly ownFaults: OwnFaults;
  private stopping = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(OperatorConfigFile) config: ConfigSource,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LEASE_DATABASE) private readonly leaseDatabase: Database,
    @Inject(GATEWAY_CONNECTION) private readonly gatewayConnection: ClientConnection,
    @Inject(GATEWAY_PASSWORD) private readonly gatewayPassword: Pick<GatewayPassword, 'current'>,
    @Inject(WEBHOOK_CONNECTION) private readonly webhookConnection: ClientConnection,
    private readonly faults: FaultReporter,
    private readonly faultCarrier: DatabaseFaultCarrier,
    directDeliveries: DirectDeliveries,
    @Inject(LOGGER) private readonly log: Logger,
    metrics: Metrics,
    readiness: Readiness,
    liveness: Liveness,
    @Optional() @Inject(SUBSCRIBER_LIMITS) private readonly limits: SubscriberLimits = {},
  ) {
    this.config = config.current();
    this.subscriberMetrics = new SubscriberMetrics(metrics);
    this.clock = new SubscriberClock({ settings, database, faults, metrics, log });
    this.gatewayAccess = new GatewayAccessMonitor({
      gateway: {
        baseUrl: settings.GATEWAY_URL,
        username: settings.GATEWAY_USERNAME,
        password: () => gatewayPassword.current(),
        connection: gatewayConnection,
        onClockReading: (reading) => this.clock.observeGateway(reading),
      },
      required: () => ({ channels: listReadChannels(this.config), permission: 'subscribe' }),
      intervalMs: settings.GATEWAY_CHECK_INTERVAL_MS,
      faults,
    });
    const storedEvents = new StoredEventVerifier(() => this.config, settings, faults);
    this.archive = openArchive({
      settings,
      database,
      faultCarrier,
      log,
      holdMs: limits.holdMs,
      config: () => this.config,
      storedEvents,
    });
    const outbox = new DeliveryOutbox(database);
    const parked = new ParkedDeliveries(database);
    const states = new SinkStates(database);
    this.dispatcher = new DeliveryDispatcher({
      settings,
      config: this.config,
      webhookConnection,
      outbox,
      parked,
      states,
      storedEvents,
      metrics: this.subscriberMetrics,
      log,
      onLeaseLost: (term) => this.replica.reportLost(term),
    });
    this.replica = new Replica({
      settings,
      config: () => this.config,
      database,
      leaseDatabase,
      archive: this.archive,
      dispatcher: this.dispatcher,
      createSession: (token, onLeaseLost) => this.createSession(token, onLeaseLost),
      metrics: this.subscriberMetrics,
      log,
    });
    this.ownFaults = new OwnFaults({
      ...limits.deliveryFaultTimes,
      settings,
      database,
      states,
      parked,
      directDeliveries,
      sinks: () => this.dispatcher.sinks,
      onParked: (sinks) => this.dispatcher.noteParked(sinks),
      databaseChecks: [
        () => this.replica.assertDatabase(),
        () => this.replica.session?.receiver.assertStorage(),
      ],
      storageFailures: this.subscriberMetrics.storageFailures,
      faults,
      log,
    });
    this.subscriberMetrics.observe({
      outbox,
      parked,
      log,
      sinks: () => this.dispatcher.sinks.map(({ name }) => name),
      session: () => this.replica.session,
    });
    this.registerHealth(readiness, liveness);
  }

  start(): void {
    this.gatewayAccess.start();
    this.clock.start();
    this.replica.start();
    this.ownFaults.start();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    // A check of the gateway may wait for its response; the next reader must not.
    const accessStopped = this.gatewayAccess.stop();
    await this.replica.stop(this.drainMs);
    await accessStopped;
    this.clock.stop();
    await this.ownFaults.stop();
    await this.dispatcher.close();
  }

  /**
   * Applies a changed configuration without a restart to the channels, the verification and the deliveries. The previous configuration
   * completes what is in progress. Quarantined messages are evaluated again.
   */
  async reconfigure(config: OperatorConfig): Promise<void> {
    if (this.stopping) return;
    const haveSinksChanged = !isDeepStrictEqual(config.alerts.sinks, this.config.alerts.sinks);
    const sinks = haveSinksChanged ? this.dispatcher.openSinks(config) : undefined;
    this.config = config;
    this.gatewayAccess.requirementsChanged();
    await Promise.all([
      this.replica.session?.reconfigure(config),
      sinks && this.dispatcher.replaceSinks(sinks, this.drainMs),
    ]);
  }

  private get drainMs(): number {
    return this.settings.SHUTDOWN_TIMEOUT_MS * DRAIN_SHARE;
  }

  private createSession(token: ReaderToken, onLeaseLost: () => void): ReaderSession {
    return new ReaderSession({
      ...this.limits,
      token,
      settings: this.settings,
      config: this.config,
      database: this.database,
      archive: this.archive,
      dispatcher: this.dispatcher,
      clock: this.clock,
      faults: this.faults,
      faultCarrier: this.faultCarrier,
      gatewayConnection: this.gatewayConnection,
      gatewayPassword: () => this.gatewayPassword.current(),
      webhookConnection: this.webhookConnection,
      metrics: this.subscriberMetrics,
      log: this.log,
      onLeaseLost,
      onConnection: (connected) => this.gatewayAccess.reportConnection(connected),
    });
  }

  private registerHealth(readiness: Readiness, liveness: Liveness): void {
    const { stuckAfterMs = STUCK_AFTER_MS } = this.limits;
    // During a term the database responds: it renews the lease.
    liveness.register('reader', () => this.replica.session?.receiver.assertProgress(stuckAfterMs));
    readiness.register('replica lease', () => this.replica.assertLease());
    readiness.register('gateway', () => this.gatewayAccess.assertAccess());
    readiness.register('gateway stream', () => this.replica.session?.channels.assertConnection());
    readiness.register('database', async () => {
      this.replica.session?.receiver.assertStorage();
      await this.database.query('SELECT 1');
    });
  }
}
