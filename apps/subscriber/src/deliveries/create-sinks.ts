import type { OperatorConfig } from '@ssb/config';
import type { WebhookTarget } from '@ssb/platform';
import type { DeliveryOutcome } from '@ssb/net';
import { OPERATIONS_SINK } from '../faults/domain/fault-recipients.js';
import type { Settings } from '../settings.js';
import type { Sink } from './sink.js';
import { WebhookSink, type WebhookOptions } from './webhook-sink.js';

/** Creates the sinks of the operator's configuration, and that of OPERATIONS_WEBHOOK_URL. */
export function createSinks(
  { alerts }: Pick<OperatorConfig, 'alerts'>,
  operations: Pick<Settings, 'OPERATIONS_WEBHOOK_URL' | 'OPERATIONS_WEBHOOK_SECRET'>,
  webhooks: Pick<WebhookOptions, 'timeoutMs' | 'responseLimitBytes' | 'connections' | 'connection'>,
): Sink[] {
  const sinks = alerts.sinks.map((sink) => {
    switch (sink.kind) {
      case 'console':
        return new ConsoleSink(sink.name);
      case 'webhook':
        return new WebhookSink({ ...webhooks, ...sink });
      default:
        return sink satisfies never;
    }
  });
  const { OPERATIONS_WEBHOOK_URL: url, OPERATIONS_WEBHOOK_SECRET: secret } = operations;
  if (url === undefined || secret === undefined) return sinks;
  return [...sinks, new WebhookSink({ ...webhooks, name: OPERATIONS_SINK, url, secret })];
}

/** The webhooks of the operator's configuration, as targets of `OutgoingConnections`. */
export function webhookTargets({ alerts }: OperatorConfig): WebhookTarget[] {
  return alerts.sinks.flatMap((sink) =>
    sink.kind === 'webhook' ? [{ name: `sink ${sink.name}`, url: sink.url }] : [],
  );
}

/** The log as a sink. `Deliverer` logs `alert delivered` for every sink, so this class does nothing. */
export class ConsoleSink implements Sink {
  constructor(readonly name: string) {}

  deliver(): Promise<DeliveryOutcome> {
    return Promise.resolve({ kind: 'delivered' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
