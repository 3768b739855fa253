import type { Provider } from '@nestjs/common';
import { listReadChannels } from '@ssb/config';
import { FaultReporter, GatewayAccessMonitor } from '@ssb/faults';
import type { GatewayPassword } from '@ssb/keys';
import type { ClientConnection } from '@ssb/net';
import { GATEWAY_CONNECTION, SETTINGS } from '@ssb/platform';
import { ConfigInUse } from '../configuration/config-in-use.js';
import { SubscriberClock } from '../faults/subscriber-clock.js';
import type { Settings } from '../settings.js';

export const GATEWAY_PASSWORD = Symbol('GATEWAY_PASSWORD');

/** Checks that the gateway permits the channels of the configuration in use. */
export const gatewayAccessProvider: Provider = {
  provide: GatewayAccessMonitor,
  inject: [SETTINGS, ConfigInUse, GATEWAY_CONNECTION, GATEWAY_PASSWORD, SubscriberClock, FaultReporter],
  useFactory: (
    settings: Settings,
    config: ConfigInUse,
    connection: ClientConnection,
    password: GatewayPassword,
    clock: SubscriberClock,
    faults: FaultReporter,
  ) =>
    new GatewayAccessMonitor({
      gateway: {
        baseUrl: settings.GATEWAY_URL,
        username: settings.GATEWAY_USERNAME,
        password: () => password.current(),
        connection,
        onClockReading: (reading) => clock.observeGateway(reading),
      },
      required: () => ({ channels: listReadChannels(config.current()), permission: 'subscribe' }),
      intervalMs: settings.GATEWAY_CHECK_INTERVAL_MS,
      faults,
    }),
};
