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
import { LOGGER, Metrics, Readiness, type Logger } from '@ssb/platform';
import { operatorConfig, type Settings } from './settings.js';
import { migrations, SCHEMA } from './storage/database-options.js';
import { databaseTimeouts, leaseDatabaseOptions } from './replica/database-timeouts.js';
import { Subscriber } from './subscriber.js';

const DATABASE = Symbol('DATABASE');
const LEASE_DATABASE = Symbol('LEASE_DATABASE');

/** Ties the subscriber to the life of the process: start once everything is built, stop in order, close the database last. */
@Injectable()
class SubscriberLife implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    private readonly subscriber: Subscriber,
    @Inject(DATABASE) private readonly database: Database,
    @Inject(LEASE_DATABASE) private readonly leaseDatabase: Database,
  ) {}

  onApplicationBootstrap(): void {
    this.subscriber.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.subscriber.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.database.close(), this.leaseDatabase.close()]);
  }
}

@Module({})
export class SubscriberModule {
  /** @throws OperatorConfigError */
  static register(settings: Settings): DynamicModule {
    const config = operatorConfig(settings);
    return {
      module: SubscriberModule,
      providers: [
        SubscriberLife,
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
              onNotice: ({ what, reason }) => log.warn({ what, reason }, 'database connection changed'),
            }),
        },
        { provide: LEASE_DATABASE, useFactory: () => new Database(leaseDatabaseOptions(settings)) },
        {
          provide: Subscriber,
          inject: [DATABASE, LEASE_DATABASE, LOGGER, Metrics, Readiness],
          useFactory: (
            database: Database,
            leaseDatabase: Database,
            log: Logger,
            metrics: Metrics,
            readiness: Readiness,
          ) => new Subscriber({ settings, config, database, leaseDatabase, log, metrics, readiness }),
        },
      ],
    };
  }
}
