import type { ConfigSource } from '@ssb/config';
import type { ClientConnection } from '@ssb/net';
import type { Database } from '@ssb/postgres';
import type { FaultReporter } from '@ssb/faults';
import type { Liveness, Logger, Metrics, Readiness } from '@ssb/platform';
import type { CatchUpLimits } from './catch-up/catch-up.js';
import type { DatabaseAlertCarrier } from './operations/database-alert-carrier.js';
import type { DeliveryFaultsOptions } from './operations/delivery-faults.js';
import type { DirectAlerts } from './operations/direct-alerts.js';
import type { Settings } from './settings.js';

export interface SubscriberDependencies {
  readonly settings: Settings;
  readonly config: ConfigSource;
  readonly database: Database;
  /** The same database with its own connections and timeouts that are shorter than the lease. */
  readonly leaseDatabase: Database;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly liveness: Liveness;
  readonly faults: FaultReporter;
  /** Stores the alerts about the quarantine with their cause. */
  readonly alerts: DatabaseAlertCarrier;
  /** Posts the alerts about the database itself. */
  readonly directAlerts: DirectAlerts;
  readonly gatewayConnection: ClientConnection;
  readonly webhookConnection: ClientConnection;
  /** Returns the present password of the gateway's user. */
  readonly gatewayPassword: () => string;
  /** Of the archive. */
  readonly holdMs?: number;
  readonly deliveryFaultTimes?: Pick<DeliveryFaultsOptions, 'failingAfterMs' | 'intervalMs'>;
  /** Of liveness. */
  readonly stuckAfterMs?: number;
  readonly catchUpLimits?: Partial<CatchUpLimits>;
  readonly supersededForMs?: number;
}
