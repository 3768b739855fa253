import type { OperatorConfig } from '@ssb/config';
import { WebhookClient, type DeliveryOutcome, type WebhookClientOptions } from '@ssb/net';
import type { WebhookTarget } from '@ssb/platform';
import { OPERATIONS_SINK } from '../faults/domain/fault-recipients.js';
import type { Settings } from '../settings.js';
import type { Sink, SinkMessage, TraceHeaders } from './sink.js';

/** Creates the sinks of the operator's configuration, and that of OPERATIONS_WEBHOOK_URL. */
export function createSinks(
  { alerts }: Pick<OperatorConfig, 'alerts'>,
  operations: Pick<Settings, 'OPERATIONS_WEBHOOK_URL' | 'OPERATIONS_WEBHOOK_SECRET'>,
  webhooks: Omit<WebhookClientOptions, 'url' | 'secret'>,
): Sink[] {
  const sinks = alerts.sinks.map((sink) => {
    switch (sink.kind) {
      case 'console':
        return new ConsoleSink(sink.name);
      case 'webhook':
        return new WebhookSink(sink.name, { ...webhooks, ...sink });
      default:
        return sink satisfies never;
    }
  });
  const { OPERATIONS_WEBHOOK_URL: url, OPERATIONS_WEBHOOK_SECRET: secret } = operations;
  if (url === undefined || secret === undefined) return sinks;
  return [...sinks, new WebhookSink(OPERATIONS_SINK, { ...webhooks, url, secret })];
}

/** The webhooks of the operator's configuration, as targets of `OutgoingConnections`. */
export function webhookTargets({ alerts }: OperatorConfig): WebhookTarget[] {
  return alerts.sinks.flatMap((sink) =>
    sink.kind === 'webhook' ? [{ name: `sink ${sink.name}`, url: sink.url }] : [],
  );
}

/** Posts the archived CloudEvent, byte for byte, according to Standard Webhooks. `webhook-id` is the event's id, `bridge-marks` its marks. */
export class WebhookSink implements Sink {
  private readonly client: WebhookClient;

  constructor(
    readonly name: string,
    options: WebhookClientOptions,
  ) {
    this.client = new WebhookClient(options);
  }

  deliver(
    { eventId, text, marks }: SinkMessage,
    signal: AbortSignal,
    trace?: TraceHeaders,
  ): Promise<DeliveryOutcome> {
    const headers = { ...trace, ...(marks.length > 0 && { 'bridge-marks': marks.join(',') }) };
    return this.client.post({ id: eventId, text, headers }, signal);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

/** The log as a sink. `Deliverer` logs `delivery succeeded` for every sink, so this class does nothing. */
class ConsoleSink implements Sink {
  constructor(readonly name: string) {}

  deliver(): Promise<DeliveryOutcome> {
    return Promise.resolve({ kind: 'delivered' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
