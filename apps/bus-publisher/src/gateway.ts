import { type ConfigSource, listChannels, listTopics } from '@ssb/config';
import { GatewayClient, type GatewayClientOptions } from '@ssb/bus';
import type { ClientConnection } from '@ssb/net';
import type { GatewayPassword } from '@ssb/keys';
import { GatewayAccessMonitor, type FaultReporter } from '@ssb/faults';
import { RESERVED_CONCURRENCY } from '@ssb/redis-queue';
import type { PublisherClock } from './clock.js';
import type { Settings } from './settings.js';

/** Checks user, enrolment and rights of the publisher at its gateway. */
export function createGatewayAccess(
  gateway: GatewayOptions,
  settings: Settings,
  config: ConfigSource,
  faults: FaultReporter,
): GatewayAccessMonitor {
  return new GatewayAccessMonitor({
    gateway,
    required: () => ({
      channels: listChannels(config.current()),
      permission: 'publish',
      topics: listTopics(config.current()),
    }),
    intervalMs: settings.GATEWAY_CHECK_INTERVAL_MS,
    faults,
  });
}

/** The gateway's access is checked again soon after a failed request. */
export function createGatewayClient(
  gateway: GatewayOptions,
  settings: Settings,
  access: GatewayAccessMonitor,
): GatewayClient {
  return new GatewayClient({
    ...gateway,
    timeoutMs: settings.GATEWAY_TIMEOUT_MS,
    connections: settings.CONCURRENCY + RESERVED_CONCURRENCY,
    onFailure: (error) => access.reportFailure(error),
  });
}

type GatewayOptions = Omit<GatewayClientOptions, 'timeoutMs'>;

/** Every answer of the gateway shows its clock. */
export function gatewayOptions(
  settings: Settings,
  connection: ClientConnection,
  password: GatewayPassword,
  clock: PublisherClock,
): GatewayOptions {
  return {
    baseUrl: settings.GATEWAY_URL,
    username: settings.GATEWAY_USERNAME,
    password: () => password.current(),
    connection,
    onClockReading: (reading) => clock.observe('gateway', reading),
  };
}
