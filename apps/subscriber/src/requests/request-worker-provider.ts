import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { DATABASE } from '../database/database-options.js';
import { DeliveryDispatcher } from '../deliveries/delivery-dispatcher.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { deliveryRequests } from './delivery-requests.js';
import type { RequestHandlers } from './request-handler.js';
import { RequestStore } from './request-store.js';
import { RequestWorker } from './request-worker.js';

export const requestWorkerProvider: Provider = {
  provide: RequestWorker,
  inject: [DATABASE, DeliveryDispatcher, SubscriberMetrics, LOGGER],
  useFactory: (
    database: Database,
    dispatcher: DeliveryDispatcher,
    metrics: SubscriberMetrics,
    log: Logger,
  ) => {
    const handlers: RequestHandlers = deliveryRequests({ database, sinks: () => dispatcher.sinks });
    return new RequestWorker({ store: new RequestStore(database), handlers, metrics, log });
  },
};
