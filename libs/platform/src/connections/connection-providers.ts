import type { Provider } from '@nestjs/common';
import { LOGGER, type Logger } from '../logging/logger.js';
import { Metrics } from '../observability/metrics.js';
import {
  clientTlsFiles,
  OutgoingConnections,
  type OutgoingConnectionsOptions,
  type WebhookTarget,
} from './outgoing-connections.js';

/** Tokens of a ClientConnection. */
export const WEBHOOK_CONNECTION = Symbol('WEBHOOK_CONNECTION');
export const GATEWAY_CONNECTION = Symbol('GATEWAY_CONNECTION');

/** Providers of `OutgoingConnections`, and of the connection of the app's webhooks. */
export function outgoingConnectionProviders(
  app: string,
  settings: OutgoingConnectionsOptions['settings'],
  webhooks: readonly WebhookTarget[],
  { hasParticipants }: Pick<OutgoingConnectionsOptions, 'hasParticipants'> = {},
): Provider[] {
  return [
    {
      provide: OutgoingConnections,
      inject: [Metrics, LOGGER],
      useFactory: (metrics: Metrics, log: Logger) =>
        new OutgoingConnections({
          app,
          ...(hasParticipants !== undefined && { hasParticipants }),
          settings,
          metrics,
          log,
        }),
    },
    {
      provide: WEBHOOK_CONNECTION,
      inject: [OutgoingConnections],
      useFactory: (connections: OutgoingConnections) => connections.openWebhooks(webhooks),
    },
  ];
}

/** Provider of the connection to the gateway, from the settings `GATEWAY_*_FILE`. */
export function gatewayConnectionProvider(settings: object): Provider {
  return {
    provide: GATEWAY_CONNECTION,
    inject: [OutgoingConnections],
    useFactory: (connections: OutgoingConnections) =>
      connections.open('gateway', clientTlsFiles(settings, 'GATEWAY')),
  };
}
