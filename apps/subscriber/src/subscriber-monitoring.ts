import { Inject, Injectable, Optional } from '@nestjs/common';
import { GatewayAccessMonitor } from '@ssb/faults';
import { Liveness, LOGGER, Readiness, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { DATABASE } from './database/database-options.js';
import { DeliveryDispatcher } from './deliveries/delivery-dispatcher.js';
import { ParkedDeliveries } from './deliveries/outbox/parked-deliveries.js';
import { Replica } from './replica/replica.js';
import { SUBSCRIBER_LIMITS, type SubscriberLimits } from './configuration/subscriber-limits.js';
import { SubscriberMetrics } from './subscriber-metrics.js';

/** Longer than every attempt to write a batch, and than the pauses between them. */
const STUCK_AFTER_MS = 300_000;

/** Registers the health checks, and the gauges that are read at each scrape. */
@Injectable()
export class SubscriberMonitoring {
  constructor(
    replica: Replica,
    dispatcher: DeliveryDispatcher,
    parked: ParkedDeliveries,
    gatewayAccess: GatewayAccessMonitor,
    @Inject(DATABASE) database: Database,
    metrics: SubscriberMetrics,
    readiness: Readiness,
    liveness: Liveness,
    @Inject(LOGGER) log: Logger,
    @Optional() @Inject(SUBSCRIBER_LIMITS) { stuckAfterMs = STUCK_AFTER_MS }: SubscriberLimits = {},
  ) {
    metrics.observe({
      database,
      parked,
      log,
      sinks: () => dispatcher.sinks.map(({ name }) => name),
      session: () => replica.session,
    });
    // During a term the database responds: it renews the lease.
    liveness.register('reader', () => replica.session?.receiver.health.assertProgress(stuckAfterMs));
    readiness.register('replica lease', () => replica.assertLease());
    readiness.register('gateway', () => gatewayAccess.assertAccess());
    readiness.register('gateway stream', () => replica.session?.stream.assertConnection());
    readiness.register('database', async () => {
      replica.session?.receiver.health.assertStorage();
      await database.query('SELECT 1');
    });
  }
}
