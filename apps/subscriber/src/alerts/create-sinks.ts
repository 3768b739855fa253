import type { OperatorConfig } from '@ssb/operator-config';
import type { AlertSink } from './alert-sink.js';
import { ConsoleSink } from './console-sink.js';
import { WebhookSink, type WebhookOptions } from './webhook-sink.js';

/** The sinks that the operator's file names. */
export function buildSinks(
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
