import type { OperatorConfig } from '@ssb/config';
import type { ClientConnection } from '@ssb/net';
import type { WebhookTarget } from '@ssb/platform';
import { OPERATIONS_SINK } from '../../faults/domain/fault-recipients.js';
import type { Settings } from '../../settings.js';
import type { AlertSink } from './alert-sink.js';
import { LogSink } from './log-sink.js';
import { WebhookSink } from './webhook-sink.js';

export type SinkSettings = Pick<
  Settings,
  keyof Settings & (`ALERT_${string}` | `OPERATIONS_WEBHOOK_${string}`)
>;

/** Creates the sinks of the operator's configuration, and that of OPERATIONS_WEBHOOK_URL. */
export function createSinks(
  { alerts }: Pick<OperatorConfig, 'alerts'>,
  settings: SinkSettings,
  connection: ClientConnection,
): AlertSink[] {
  const webhooks = {
    timeoutMs: settings.ALERT_TIMEOUT_MS,
    responseLimitBytes: settings.ALERT_RESPONSE_LIMIT_BYTES,
    // One more for parked deliveries.
    connections: settings.ALERT_CONCURRENCY + 1,
    connection,
  };
  const sinks = alerts.sinks.map((sink) => {
    switch (sink.kind) {
      case 'log':
        return new LogSink(sink.name);
      case 'webhook':
        return new WebhookSink(sink.name, { ...webhooks, url: sink.url, secret: sink.secret ?? '' });
      default:
        return sink satisfies never;
    }
  });
  const { OPERATIONS_WEBHOOK_URL: url, OPERATIONS_WEBHOOK_SECRET: secret } = settings;
  if (url === undefined || secret === undefined) return sinks;
  return [...sinks, new WebhookSink(OPERATIONS_SINK, { ...webhooks, url, secret })];
}

/** The webhooks of the operator's configuration, as targets of `OutgoingConnections`. */
export function webhookTargets({ alerts }: OperatorConfig): WebhookTarget[] {
  return alerts.sinks.flatMap((sink) =>
    sink.kind === 'webhook' ? [{ name: `sink ${sink.name}`, url: sink.url }] : [],
  );
}
