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
    const config = readOperatorConfig(settings);
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
