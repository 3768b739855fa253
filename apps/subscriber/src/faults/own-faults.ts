import { Inject, Injectable, Optional } from '@nestjs/common';
import { FaultReporter } from '@ssb/faults';
import { LOGGER, SETTINGS, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { DATABASE } from '../database/database-options.js';
import { DeliveryDispatcher } from '../deliveries/delivery-dispatcher.js';
import { ParkedDeliveries } from '../deliveries/outbox/parked-deliveries.js';
import { SinkStates } from '../deliveries/outbox/sink-states.js';
import { Replica } from '../replica/replica.js';
import type { Settings } from '../settings.js';
import { SUBSCRIBER_LIMITS, type SubscriberLimits } from '../configuration/subscriber-limits.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { DatabaseMonitor } from './database-monitor.js';
import { DeliveryFaults } from './delivery-faults.js';
import { DirectDeliveries } from './direct-deliveries.js';
import { SinkFileFaults } from './sink-file-faults.js';

/** Watches what the subscriber itself needs to deliver: its sinks and its database. */
@Injectable()
export class OwnFaults {
  private readonly deliveries: DeliveryFaults;
  private readonly sinkFiles: SinkFileFaults;
  private readonly database: DatabaseMonitor;

  constructor(
    @Inject(SETTINGS) settings: Settings,
    @Inject(DATABASE) database: Database,
    states: SinkStates,
    parked: ParkedDeliveries,
    dispatcher: DeliveryDispatcher,
    replica: Replica,
    private readonly directDeliveries: DirectDeliveries,
    faults: FaultReporter,
    metrics: SubscriberMetrics,
    @Inject(LOGGER) log: Logger,
    @Optional() @Inject(SUBSCRIBER_LIMITS) { deliveryFaultTimes }: SubscriberLimits = {},
  ) {
    directDeliveries.attach(() => dispatcher.sinks);
    this.deliveries = new DeliveryFaults({
      ...deliveryFaultTimes,
      database,
      states,
      parked,
      faults,
      sinks: () => dispatcher.sinks.map(({ name }) => name),
      onParked: (sinks) => dispatcher.noteParked(sinks),
      onStorageFailure: (err) => {
        metrics.storageFailures.inc();
        log.error({ err }, 'delivery fault access failed');
      },
    });
    this.sinkFiles = new SinkFileFaults({
      faults,
      sinks: () => dispatcher.sinks,
      intervalMs: deliveryFaultTimes?.intervalMs,
      onFailure: (err) => log.error({ err }, 'report of sink files failed'),
    });
    this.database = new DatabaseMonitor({
      checks: [() => replica.assertDatabase(), () => replica.session?.receiver.health.assertStorage()],
      faults,
      unavailableAfterMs: settings.DATABASE_UNAVAILABLE_AFTER_MS,
    });
  }

  start(): void {
    this.deliveries.start();
    this.sinkFiles.start();
    this.database.start();
  }

  /** Makes one more attempt to post what waits. Call it before the sinks are closed. */
  async stop(): Promise<void> {
    this.database.stop();
    await Promise.all([this.deliveries.stop(), this.sinkFiles.stop(), this.directDeliveries.stop()]);
  }
}
