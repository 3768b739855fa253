import { WebhookClient, type DeliveryOutcome, type WebhookClientOptions } from '@ssb/net';
import type { Sink, SinkMessage, TraceHeaders } from './sink.js';

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
