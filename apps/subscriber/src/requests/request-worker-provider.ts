import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { DATABASE } from '../database/database-options.js';
import { DeliveryDispatcher } from '../deliveries/delivery-dispatcher.js';
import { StoredEventVerifier } from '../receiver/stored-event-verifier.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { deliveryRequests } from './delivery-requests.js';
import { problemRequests } from './problem-requests.js';
import type { RequestHandlers } from './request-handler.js';
import { RequestStore } from './request-store.js';
import { RequestWorker } from './request-worker.js';
import { silenceRequests } from './silence-requests.js';

export const requestWorkerProvider: Provider = {
  provide: RequestWorker,
  inject: [DATABASE, ConfigInUse, StoredEventVerifier, DeliveryDispatcher, SubscriberMetrics, LOGGER],
  useFactory: (
    database: Database,
    config: ConfigInUse,
    storedEvents: StoredEventVerifier,
    dispatcher: DeliveryDispatcher,
    metrics: SubscriberMetrics,
    log: Logger,
  ) => {
    const handlers: RequestHandlers = {
      ...problemRequests({ database, config, storedEvents }),
      ...silenceRequests({ config }),
      ...deliveryRequests({ database, sinks: () => dispatcher.sinks }),
    };
    return new RequestWorker({ store: new RequestStore(database), handlers, metrics, log });
  },
};
