import type { OperatorConfig } from '@ssb/operator-config';
import type { DeliveryOutcome } from '@ssb/webhook';
import type { AlertSink } from './alert-sink.js';
import { WebhookSink, type WebhookOptions } from './webhook-sink.js';

/** Creates the sinks of the operator's configuration. */
export function createSinks(
  { alerts }: OperatorConfig,
  limits: Pick<WebhookOptions, 'timeoutMs' | 'responseLimitBytes' | 'connections'>,
): AlertSink[] {
  return alerts.sinks.map((sink) => {
    switch (sink.kind) {
      case 'console':
        return new ConsoleSink(sink.name);
      case 'webhook':
        return new WebhookSink({ ...limits, ...sink });
      default:
        return sink satisfies never;
    }
  });
}

/** The log as a sink. It does nothing, because `AlertDelivery` logs `alert delivered` for every sink. */
export class ConsoleSink implements AlertSink {
  constructor(readonly name: string) {}

  deliver(): Promise<DeliveryOutcome> {
    return Promise.resolve({ kind: 'delivered' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
