import { FaultReporter, WebhookFaultCarrier } from '@ssb/faults';
import type { Degradations, Logger, Metrics } from '@ssb/platform';
import type { Sink } from '../deliveries/sink.js';
import type { Settings } from '../settings.js';
import type { DatabaseFaultCarrier } from './database-fault-carrier.js';
import { DatabaseMonitor } from './database-monitor.js';
import { DeliveryFaults, type DeliveryFaultsOptions } from './delivery-faults.js';
import type { DirectDeliveries } from './direct-deliveries.js';

/** Reports faults through the database, and those of the database directly to the sinks. */
export function createFaultReporter(
  carrier: DatabaseFaultCarrier,
  directDeliveries: DirectDeliveries,
  degradations: Degradations,
  metrics: Metrics,
  log: Logger,
): FaultReporter {
  return new FaultReporter({
    app: 'subscriber',
    carrier,
    outageCarrier: new WebhookFaultCarrier('subscriber', directDeliveries),
    dropped: directDeliveries.dropped,
    degradations,
    metrics,
    log,
  });
}

export interface OwnFaultsOptions extends Omit<DeliveryFaultsOptions, 'sinks' | 'onStorageFailure'> {
  readonly settings: Pick<Settings, 'DATABASE_UNAVAILABLE_AFTER_MS'>;
  readonly directDeliveries: DirectDeliveries;
  /** In use; they can change. */
  readonly sinks: () => readonly Sink[];
  /** Each throws an error with the reason while the database accepts no writes. */
  readonly databaseChecks: readonly (() => void)[];
  readonly storageFailures: { inc(): void };
  readonly log: Logger;
}

/** Watches what the subscriber itself needs to deliver: its sinks and its database. */
export class OwnFaults {
  private readonly deliveries: DeliveryFaults;
  private readonly database: DatabaseMonitor;

  constructor(private readonly options: OwnFaultsOptions) {
    const { settings, sinks, databaseChecks, storageFailures, directDeliveries, faults, log } = options;
    directDeliveries.attach(sinks);
    this.deliveries = new DeliveryFaults({
      ...options,
      sinks: () => sinks().map(({ name }) => name),
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
    await Promise.all([this.deliveries.stop(), this.options.directDeliveries.stop()]);
  }
}
