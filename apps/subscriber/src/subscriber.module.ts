import {
  Inject,
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { openDatabase, type Database } from '@ssb/database';
import { LOGGER, Metrics, Readiness, type Logger } from '@ssb/platform';
import { operatorConfig, type Settings } from './settings.js';
import { migrations, SCHEMA } from './storage/migrations.js';
import { Subscriber } from './subscriber.js';

const DATABASE = Symbol('DATABASE');

/** Ties the subscriber to the life of the process: start once everything is built, stop in order, close the database last. */
@Injectable()
class SubscriberLife implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(
    @Inject(Subscriber) private readonly subscriber: Subscriber,
    @Inject(DATABASE) private readonly database: Database,
  ) {}

  onApplicationBootstrap(): void {
    this.subscriber.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.subscriber.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
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
              onNotice: ({ what, reason }) => log.warn({ what, reason }, 'database connection changed'),
            }),
        },
        {
          provide: Subscriber,
          inject: [DATABASE, LOGGER, Metrics, Readiness],
          useFactory: (database: Database, log: Logger, metrics: Metrics, readiness: Readiness) =>
            new Subscriber({ settings, config, database, log, metrics, readiness }),
        },
      ],
    };
  }
}
