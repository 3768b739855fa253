import type { DeliveryOutcome } from '../domain/delivery-policy.js';
import type { AlertSink } from './alert-sink.js';

/** The log as a sink: the `alerted` line, which is written for every delivery to any sink, is the whole notice. */
export class ConsoleSink implements AlertSink {
  constructor(readonly name: string) {}

  deliver(): Promise<DeliveryOutcome> {
    return Promise.resolve({ kind: 'delivered' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
