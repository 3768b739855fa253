import type { Provider } from '@nestjs/common';
import { FaultReporter, WebhookFaultCarrier } from '@ssb/faults';
import { Degradations, LOGGER, Metrics, type Logger } from '@ssb/platform';
import { DatabaseFaultCarrier } from './database-fault-carrier.js';
import { DirectDeliveries } from './direct-deliveries.js';

/** Reports faults through the database, and those of the database directly to the sinks. */
export const faultReporterProvider: Provider = {
  provide: FaultReporter,
  inject: [DatabaseFaultCarrier, DirectDeliveries, Degradations, Metrics, LOGGER],
  useFactory: (
    carrier: DatabaseFaultCarrier,
    directDeliveries: DirectDeliveries,
    degradations: Degradations,
    metrics: Metrics,
    log: Logger,
  ) =>
    new FaultReporter({
      app: 'subscriber',
      carrier,
      outageCarrier: new WebhookFaultCarrier('subscriber', directDeliveries),
      dropped: directDeliveries.dropped,
      degradations,
      metrics,
      log,
    }),
};
