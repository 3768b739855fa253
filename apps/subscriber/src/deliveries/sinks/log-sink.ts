import type { DeliveryOutcome } from '@ssb/net';
import type { AlertSink } from './alert-sink.js';
import { NO_FILES, type SinkKind } from './sink-kind.js';

/** The log as a sink. `Deliverer` logs the line `delivery succeeded` for every sink, so this class does nothing. */
export class LogSink implements AlertSink {
  constructor(readonly name: string) {}

  deliver(): Promise<DeliveryOutcome> {
    return Promise.resolve({ kind: 'delivered' });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export const LOG_KIND: SinkKind<{ readonly name: string }> = {
  files: () => NO_FILES,
  open: ({ name }) => new LogSink(name),
};
