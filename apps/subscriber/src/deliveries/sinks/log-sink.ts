import type { DeliveryOutcome } from '@ssb/net';
import type { AlertSink } from './alert-sink.js';

/** The log as a sink. `Deliverer` logs each accepted delivery of every sink, so this class does nothing. */
export class LogSink implements AlertSink {
  constructor(readonly name: string) {}

  deliver(): Promise<DeliveryOutcome> {
    return Promise.resolve({ kind: 'delivered' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
