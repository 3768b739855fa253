import { Injectable } from '@nestjs/common';
import { BoundedLabel, Metrics, secondsSince } from '@ssb/platform';
import { MAX_CHANNEL_LABELS, METRICS } from './metrics.js';
import type { LogEntry } from './storage/message-log.js';

const NANOS_PER_MS = 1_000_000n;

/** The broker's own metrics. */
@Injectable()
export class BrokerMetrics {
  private readonly channels = new BoundedLabel(MAX_CHANNEL_LABELS);
  private readonly accepted;
  private readonly acceptedToAppended;
  private readonly appendedToSent;
  private readonly sent;
  readonly refused;
  readonly gaps;
  readonly streams;

  constructor(metrics: Metrics) {
    this.accepted = metrics.counter(METRICS.accepted);
    this.refused = metrics.counter(METRICS.refused);
    this.acceptedToAppended = metrics.histogram(METRICS.acceptedToAppended);
    this.appendedToSent = metrics.histogram(METRICS.appendedToSent);
    this.sent = metrics.counter(METRICS.sent);
    this.gaps = metrics.counter(METRICS.gaps);
    this.streams = metrics.gauge(METRICS.streams);
  }

  countAccepted(fqcn: string, repeated: boolean): void {
    this.accepted.inc({ channel: this.channels.fold(fqcn), repeated: String(repeated) });
  }

  /** @param acceptedAt of the messages that are appended together, milliseconds of `performance.now()` */
  observeAppended(acceptedAt: number): void {
    this.acceptedToAppended.observe((performance.now() - acceptedAt) / 1_000);
  }

  countSent(fqcn: string, entries: readonly Pick<LogEntry, 'timestampNanos'>[]): void {
    const channel = this.channels.fold(fqcn);
    this.sent.inc({ channel }, entries.length);
    for (const { timestampNanos } of entries)
      this.appendedToSent.observe({ channel }, secondsSince(Number(timestampNanos / NANOS_PER_MS)));
  }
}
