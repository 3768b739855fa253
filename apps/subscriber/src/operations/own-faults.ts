import type { AlertSink } from '../alerts/alert-sink.js';
import type { SubscriberDependencies } from '../subscriber-dependencies.js';
import type { SubscriberMetrics } from '../subscriber-metrics.js';
import { DatabaseMonitor } from './database-monitor.js';
import { DeliveryFaults, type DeliveryFaultsOptions } from './delivery-faults.js';

type Watched = Pick<DeliveryFaultsOptions, 'states' | 'parked' | 'onParked'> & {
  /** In use; they can change. */
  readonly sinks: () => readonly AlertSink[];
  /** Each throws an error with the reason while the database accepts no writes. */
  readonly databaseChecks: readonly (() => void)[];
  readonly storageFailures: SubscriberMetrics['storageFailures'];
};

/** Watches what the subscriber itself needs to deliver: its sinks and its database. */
export class OwnFaults {
  private readonly deliveries: DeliveryFaults;
  private readonly database: DatabaseMonitor;

  constructor(
    private readonly dependencies: SubscriberDependencies,
    { sinks, databaseChecks, storageFailures, ...watched }: Watched,
  ) {
    const { database, deliveryFaultTimes, faults, log, settings } = dependencies;
    dependencies.directAlerts.attach(sinks);
    this.deliveries = new DeliveryFaults({
      ...deliveryFaultTimes,
      ...watched,
      sinks: () => sinks().map(({ name }) => name),
      database,
      faults,
      onStorageFailure: (err) => {
        storageFailures.inc();
        log.error({ err }, 'delivery fault access failed');
      },
    });
    const unavailableAfterMs = settings.DATABASE_UNAVAILABLE_AFTER_MS;
    this.database = new DatabaseMonitor({ checks: databaseChecks, faults, unavailableAfterMs });
  }

  start(): void {
    this.deliveries.start();
    this.database.start();
  }

  /** Makes one more attempt to post what waits. Call it before the sinks are closed. */
  async stop(): Promise<void> {
    this.database.stop();
    await Promise.all([this.deliveries.stop(), this.dependencies.directAlerts.stop()]);
  }
}
