import { Inject, Injectable, Optional } from '@nestjs/common';
import { FaultReporter, GatewayAccessMonitor } from '@ssb/faults';
import type { GatewayPassword } from '@ssb/keys';
import type { ClientConnection } from '@ssb/net';
import { GATEWAY_CONNECTION, LOGGER, SETTINGS, WEBHOOK_CONNECTION, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { Archive } from '../archive/archive.js';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { DATABASE } from '../database/database-options.js';
import { DeliveryDispatcher } from '../deliveries/delivery-dispatcher.js';
import { DatabaseFaultCarrier } from '../faults/database-fault-carrier.js';
import { SubscriberClock } from '../faults/subscriber-clock.js';
import type { Settings } from '../settings.js';
import { SUBSCRIBER_LIMITS, type SubscriberLimits } from '../configuration/subscriber-limits.js';
import { SubscriberMetrics } from '../subscriber-metrics.js';
import { GATEWAY_PASSWORD } from './gateway-access.js';

/** What each `ReaderSession` uses, in addition to its lease. */
@Injectable()
export class ReaderDependencies {
  constructor(
    @Inject(SETTINGS) readonly settings: Settings,
    readonly configInUse: ConfigInUse,
    @Inject(DATABASE) readonly database: Database,
    readonly archive: Archive,
    readonly dispatcher: DeliveryDispatcher,
    readonly clock: SubscriberClock,
    readonly faults: FaultReporter,
    readonly faultCarrier: DatabaseFaultCarrier,
    @Inject(GATEWAY_CONNECTION) readonly gatewayConnection: ClientConnection,
    @Inject(GATEWAY_PASSWORD) readonly gatewayPassword: GatewayPassword,
    readonly gatewayAccess: GatewayAccessMonitor,
    @Inject(WEBHOOK_CONNECTION) readonly webhookConnection: ClientConnection,
    readonly metrics: SubscriberMetrics,
    @Inject(LOGGER) readonly log: Logger,
    @Optional() @Inject(SUBSCRIBER_LIMITS) readonly limits: SubscriberLimits = {},
  ) {}
}
