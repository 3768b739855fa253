import {
  Inject,
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Database, openDatabase } from '@ssb/database';
import { FaultReporter } from '@ssb/operational-alerts';
import { Degradations, LOGGER, Metrics, Readiness, type Logger } from '@ssb/platform';
import { DatabaseAlertCarrier } from './operations/database-alert-carrier.js';
import { readOperatorConfig, type Settings } from './settings.js';
import { databaseTimeouts, leaseDatabaseOptions, migrations, SCHEMA } from './storage/database-options.js';
import { Subscriber } from './subscriber.js';

const DATABASE = Symbol('DATABASE');
const LEASE_DATABASE = Symbol('LEASE_DATABASE');

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
  ) {}

  onApplicationBootstrap(): void {
    this.faults.start();
    this.subscriber.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.subscriber.stop();
    await this.faults.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.database.close(), this.leaseDatabase.close()]);
  }
}

@Module({})
export class SubscriberModule {
  /** @throws OperatorConfigError */
  static register(settings: Settings, log: Logger): DynamicModule {
    const config = readOperatorConfig(settings, log);
    return {
      module: SubscriberModule,
      providers: [
        SubscriberLifecycle,
        {
          provide: DATABASE,
          inject: [LOGGER],
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
          useFactory: (database: Database, log: Logger) => new DatabaseAlertCarrier(database, config, log),
        },
        {
          provide: FaultReporter,
          inject: [DatabaseAlertCarrier, Degradations, Metrics, LOGGER],
          useFactory: (
            carrier: DatabaseAlertCarrier,
            degradations: Degradations,
            metrics: Metrics,
            log: Logger,
          ) => new FaultReporter({ app: 'subscriber', carrier, degradations, metrics, log }),
        },
        {
          provide: Subscriber,
          inject: [DATABASE, LEASE_DATABASE, LOGGER, Metrics, Readiness, FaultReporter, DatabaseAlertCarrier],
          useFactory: (
            database: Database,
            leaseDatabase: Database,
            log: Logger,
            metrics: Metrics,
            readiness: Readiness,
            faults: FaultReporter,
            alerts: DatabaseAlertCarrier,
          ) =>
            new Subscriber({
              settings,
              config,
              database,
              leaseDatabase,
              log,
              metrics,
              readiness,
              faults,
              alerts,
            }),
        },
      ],
    };
  }
}
