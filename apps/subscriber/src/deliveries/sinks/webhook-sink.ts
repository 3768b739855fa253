import { WebhookClient, type DeliveryOutcome, type WebhookClientOptions } from '@ssb/net';
import type { AlertSink, SinkMessage, TraceHeaders } from './alert-sink.js';

/** Posts the text of a message, byte for byte, according to Standard Webhooks. What the text does not say is in headers. */
export class WebhookSink implements AlertSink {
  private readonly client: WebhookClient;

  constructor(
    readonly name: string,
    options: WebhookClientOptions,
  ) {
    this.client = new WebhookClient(options);
  }

  deliver(message: SinkMessage, signal: AbortSignal, trace?: TraceHeaders): Promise<DeliveryOutcome> {
    const { eventId: id, text } = message;
    return this.client.post({ id, text, headers: { ...trace, ...describe(message) } }, signal);
  }

  close(): Promise<void> {
    return this.client.close();
  }
}

function describe(message: SinkMessage): Record<string, string> {
  const { kind, severity, problemId, problemState, marks, replayed = false } = message;
  return {
    'bridge-kind': kind,
    ...(severity !== undefined && { 'bridge-severity': severity }),
    ...(problemId != null && { 'bridge-problem': problemId }),
    ...(problemState != null && { 'bridge-state': problemState }),
    ...(marks.length > 0 && { 'bridge-marks': marks.join(',') }),
    ...(replayed && { 'bridge-replayed': 'true' }),
  };
}
