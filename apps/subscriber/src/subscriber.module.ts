import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { OperatorConfigFile } from '@ssb/config';
import { FaultReporter, operationsWebhookTargets, reportConfigReloads } from '@ssb/faults';
import { observeKeys, openGatewayPassword, type GatewayPassword } from '@ssb/keys';
import {
  Degradations,
  GATEWAY_CONNECTION,
  gatewayConnectionProvider,
  LOGGER,
  Metrics,
  outgoingConnectionProviders,
  OutgoingConnections,
  WEBHOOK_CONNECTION,
  type Logger,
} from '@ssb/platform';
import { Database, openDatabase } from '@ssb/postgres';
import {
  DATABASE,
  databaseTimeouts,
  LEASE_DATABASE,
  leaseDatabaseOptions,
  migrations,
  SCHEMA,
} from './database/database-options.js';
import { webhookTargets } from './deliveries/create-sinks.js';
import { DatabaseFaultCarrier } from './faults/database-fault-carrier.js';
import { DirectDeliveries } from './faults/direct-deliveries.js';
import { createFaultReporter } from './faults/own-faults.js';
import { HeartbeatsController } from './heartbeats/heartbeats.controller.js';
import { watchdogTargets } from './heartbeats/watchdog.js';
import { openConfig, type Settings } from './settings.js';
import { GATEWAY_PASSWORD, Subscriber } from './subscriber.js';

/** Composes the process. Starts the subscriber with the app and stops it before the database closes. */
@Module({})
export class SubscriberModule
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  /** @throws OperatorConfigError, ConfigurationError */
  static async register(settings: Settings, log: Logger): Promise<DynamicModule> {
    const config = await openConfig(settings, log);
    const gatewayPassword = await openGatewayPassword(settings, log);
    return {
      module: SubscriberModule,
      controllers: [HeartbeatsController],
      providers: [
        { provide: OperatorConfigFile, useValue: config },
        { provide: GATEWAY_PASSWORD, useValue: gatewayPassword },
        ...outgoingConnectionProviders('subscriber', settings, [
          ...webhookTargets(config.current()),
          ...watchdogTargets(settings),
          ...operationsWebhookTargets(settings),
        ]),
        gatewayConnectionProvider(settings),
        {
          provide: DATABASE,
          // The certificates are read before anything is connected.
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
        DatabaseFaultCarrier,
        DirectDeliveries,
        {
          provide: FaultReporter,
          inject: [DatabaseFaultCarrier, DirectDeliveries, Degradations, Metrics, LOGGER],
          useFactory: createFaultReporter,
        },
        Subscriber,
      ],
    };
  }

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
    observeKeys(metrics, { 'gateway-password': gatewayPassword.file });
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
