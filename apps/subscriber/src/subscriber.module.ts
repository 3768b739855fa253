import { OperatorConfigFile } from '@ssb/config';
import {
  reportConfigReloads,
  FaultReporter,
  operationsWebhookTargets,
  WebhookAlertCarrier,
} from '@ssb/faults';
import {
  Inject,
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { ClientConnection } from '@ssb/net';
import { Database, openDatabase } from '@ssb/postgres';
import { observeKeys, openGatewayPassword, type GatewayPassword } from '@ssb/keys';
import {
  Degradations,
  GATEWAY_CONNECTION,
  gatewayConnectionProvider,
  Liveness,
  LOGGER,
  Metrics,
  outgoingConnectionProviders,
  OutgoingConnections,
  Readiness,
  WEBHOOK_CONNECTION,
  type Logger,
} from '@ssb/platform';
import { webhookTargets } from './alerts/create-sinks.js';
import { watchdogTargets } from './heartbeats/watchdog.js';
import { HeartbeatsController } from './heartbeats/heartbeats.controller.js';
import { DatabaseAlertCarrier } from './operations/database-alert-carrier.js';
import { DirectAlerts } from './operations/direct-alerts.js';
import { openConfig, type Settings } from './settings.js';
import {
  DATABASE,
  databaseTimeouts,
  leaseDatabaseOptions,
  migrations,
  SCHEMA,
} from './storage/database-options.js';
import { Subscriber } from './subscriber.js';

const LEASE_DATABASE = Symbol('LEASE_DATABASE');
const GATEWAY_PASSWORD = Symbol('GATEWAY_PASSWORD');
const KEY_METRICS = Symbol('KEY_METRICS');

/** Starts the subscriber with the app and stops it before the database closes. */
@Injectable()
class SubscriberLifecycle
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  constructor(
    private readonly subscriber: Subscriber,
    private readonly faults: FaultReporter,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LEASE_DATABASE) private readonly leaseDatabase: Database,
    @Inject(GATEWAY_PASSWORD) private readonly gatewayPassword: GatewayPassword,
    private readonly config: OperatorConfigFile,
    connections: OutgoingConnections,
    metrics: Metrics,
  ) {
    reportConfigReloads(config, { metrics, faults });
    config.onChange(async (changed) => {
      connections.assertAllowedWebhooks(webhookTargets(changed));
      await subscriber.reconfigure(changed);
    });
  }

  onApplicationBootstrap(): void {
    this.faults.start();
    this.subscriber.start();
    this.config.watch();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.config.close();
    await this.subscriber.stop();
    await this.faults.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.gatewayPassword.close();
    await Promise.all([this.database.close(), this.leaseDatabase.close()]);
  }
}

@Module({})
export class SubscriberModule {
  /** @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    const hasOperationsSink = settings.OPERATIONS_WEBHOOK_URL !== undefined;
    const gatewayPassword = await openGatewayPassword(settings, log);
    return {
      module: SubscriberModule,
      controllers: [HeartbeatsController],
      providers: [
        SubscriberLifecycle,
        { provide: OperatorConfigFile, useValue: config },
        { provide: GATEWAY_PASSWORD, useValue: gatewayPassword },
        {
          provide: KEY_METRICS,
          inject: [Metrics],
          useFactory: (metrics: Metrics) =>
            observeKeys(metrics, { 'gateway-password': gatewayPassword.file }),
        },
        ...outgoingConnectionProviders('subscriber', settings, [
          ...webhookTargets(config.current()),
          ...watchdogTargets(settings),
          ...operationsWebhookTargets(settings),
        ]),
        gatewayConnectionProvider(settings),
        {
          provide: DATABASE,
          // The files are read before anything is connected.
          inject: [LOGGER, WEBHOOK_CONNECTION, GATEWAY_CONNECTION],
          useFactory: (log: Logger) =>
            openDatabase({
              url: settings.DATABASE_URL,
              schema: SCHEMA,
              migrations,
              connections: settings.DATABASE_CONNECTIONS,
              timeouts: databaseTimeouts(settings),
              onConnectionEvent: ({ what, reason }) =>
                log.warn({ what, reason }, 'database connection changed'),
            }),
        },
        { provide: LEASE_DATABASE, useFactory: () => new Database(leaseDatabaseOptions(settings)) },
        {
          provide: DatabaseAlertCarrier,
          inject: [DATABASE, LOGGER],
          useFactory: (database: Database, log: Logger) =>
            new DatabaseAlertCarrier(database, config, log, hasOperationsSink),
        },
        {
          provide: DirectAlerts,
          inject: [LOGGER, Metrics],
          useFactory: (log: Logger, metrics: Metrics) =>
            new DirectAlerts(config, hasOperationsSink, log, metrics),
        },
        {
          provide: FaultReporter,
          inject: [DatabaseAlertCarrier, DirectAlerts, Degradations, Metrics, LOGGER],
          useFactory: (
            carrier: DatabaseAlertCarrier,
            directAlerts: DirectAlerts,
            degradations: Degradations,
            metrics: Metrics,
            log: Logger,
          ) => {
            const outageCarrier = new WebhookAlertCarrier('subscriber', directAlerts);
            return new FaultReporter({
              app: 'subscriber',
              carrier,
              outageCarrier,
              dropped: directAlerts.dropped,
              degradations,
              metrics,
              log,
            });
          },
        },
        {
          provide: Subscriber,
          inject: [
            DATABASE,
            LEASE_DATABASE,
            GATEWAY_CONNECTION,
            WEBHOOK_CONNECTION,
            LOGGER,
            Metrics,
            Readiness,
            Liveness,
            FaultReporter,
            DatabaseAlertCarrier,
            DirectAlerts,
          ],
          useFactory: (
            database: Database,
            leaseDatabase: Database,
            gatewayConnection: ClientConnection,
            webhookConnection: ClientConnection,
            log: Logger,
            metrics: Metrics,
            readiness: Readiness,
            liveness: Liveness,
            faults: FaultReporter,
            alerts: DatabaseAlertCarrier,
            directAlerts: DirectAlerts,
          ) =>
            new Subscriber({
              settings,
              config,
              database,
              leaseDatabase,
              gatewayConnection,
              webhookConnection,
              log,
              metrics,
              readiness,
              liveness,
              faults,
              alerts,
              directAlerts,
              gatewayPassword: () => gatewayPassword.current(),
            }),
        },
      ],
    };
  }
}
