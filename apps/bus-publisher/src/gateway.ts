import type { Provider } from '@nestjs/common';
import { GatewayClient, type GatewayClientOptions } from '@ssb/bus';
import { listChannels, listTopics, OperatorConfigFile } from '@ssb/config';
import { FaultReporter, GatewayAccessMonitor } from '@ssb/faults';
import type { ClientConnection } from '@ssb/net';
import { ClockMonitor, GATEWAY_CONNECTION } from '@ssb/platform';
import { RESERVED_CONCURRENCY } from '@ssb/redis-queue';
import type { PublisherClock } from './publisher-clock.js';
import { PublisherKeys } from './publisher-keys.js';
import type { Settings } from './settings.js';

const GATEWAY_OPTIONS = Symbol('GATEWAY_OPTIONS');
type GatewayOptions = Omit<GatewayClientOptions, 'timeoutMs'>;

/** The client of the gateway, and the monitor of the publisher's access to it. */
export function gatewayProviders(settings: Settings): Provider[] {
  return [
    {
      provide: GATEWAY_OPTIONS,
      inject: [GATEWAY_CONNECTION, PublisherKeys, ClockMonitor],
      useFactory: (
        connection: ClientConnection,
        { gatewayPassword }: PublisherKeys,
        clock: PublisherClock,
      ): GatewayOptions => ({
        baseUrl: settings.GATEWAY_URL,
        username: settings.GATEWAY_USERNAME,
        password: () => gatewayPassword.current(),
        connection,
        // Every response of the gateway shows its clock.
        onClockReading: (reading) => clock.observe('gateway', reading),
      }),
    },
    {
      provide: GatewayAccessMonitor,
      inject: [GATEWAY_OPTIONS, OperatorConfigFile, FaultReporter],
      useFactory: (gateway: GatewayOptions, config: OperatorConfigFile, faults: FaultReporter) =>
        new GatewayAccessMonitor({
          gateway,
          required: () => ({
            channels: listChannels(config.current()),
            permission: 'publish',
            topics: listTopics(config.current()),
          }),
          intervalMs: settings.GATEWAY_CHECK_INTERVAL_MS,
          faults,
        }),
    },
    {
      provide: GatewayClient,
      inject: [GATEWAY_OPTIONS, GatewayAccessMonitor],
      useFactory: (gateway: GatewayOptions, access: GatewayAccessMonitor) =>
        new GatewayClient({
          ...gateway,
          timeoutMs: settings.GATEWAY_TIMEOUT_MS,
          connections: settings.CONCURRENCY + RESERVED_CONCURRENCY,
          // The access is checked again soon after a failed request.
          onFailure: (error) => access.reportFailure(error),
        }),
    },
  ];
}
