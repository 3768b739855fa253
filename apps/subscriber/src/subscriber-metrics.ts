import { answerInTime, type Metrics } from '@ssb/platform';
import type { AlertOutbox } from './storage/alert-outbox.js';

/** What the subscriber counts. */
export class SubscriberMetrics {
  readonly received = this.metrics.counter({
    name: 'subscriber_messages_received_total',
    help: 'Messages that the gateway delivered and that were verified or quarantined.',
  });
  readonly accepted = this.metrics.counter({
    name: 'subscriber_events_archived_total',
    help: 'Events that were verified and archived.',
    labelNames: ['type'],
  });
  readonly repeats = this.metrics.counter({
    name: 'subscriber_repeats_total',
    help: 'Messages dropped because they were seen before.',
  });
  readonly quarantined = this.metrics.counter({
    name: 'subscriber_messages_quarantined_total',
    help: 'Messages that failed verification, by reason.',
    labelNames: ['reason'],
  });
  readonly gaps = this.metrics.counter({
    name: 'subscriber_gaps_total',
    help: 'Times that messages were removed from the bus before the subscriber got them; worth an alert.',
  });
  readonly storageFailures = this.metrics.counter({
    name: 'subscriber_storage_failures_total',
    help: 'Failed reads and writes of the database; each is repeated.',
  });
  readonly leaseEnds = this.metrics.counter({
    name: 'subscriber_lease_ends_total',
    help: 'Times that this replica lost its lease, or gave it back at a stop.',
  });
  readonly alertAttempts = this.metrics.counter({
    name: 'subscriber_alert_attempts_total',
    help: 'Attempts to hand an event to a sink, by outcome.',
    labelNames: ['sink', 'outcome'],
  });

  constructor(private readonly metrics: Metrics) {}

  /** Figures that are read when metrics are scraped. */
  observe(sources: {
    readonly outbox: AlertOutbox;
    readonly sinks: readonly string[];
    readonly reads: () => boolean;
    readonly connected: () => boolean;
    readonly held: () => number;
  }): void {
    this.metrics.gauge({
      name: 'subscriber_alert_outbox_depth',
      help: 'Alerts that are not delivered yet, by sink; absent while the database is away.',
      labelNames: ['sink'],
      async collect() {
        // Without the database the depth is unknown; the other metrics must still be served.
        const depth = await answerInTime(() => sources.outbox.depth()).catch(() => undefined);
        this.reset();
        if (depth === undefined) return;
        for (const sink of new Set([...sources.sinks, ...depth.keys()]))
          this.set({ sink }, depth.get(sink) ?? 0);
      },
    });
    this.metrics.gauge({
      name: 'subscriber_reader',
      help: '1 while this replica reads the channels; the sum over all replicas is 1.',
      collect() {
        this.set(sources.reads() ? 1 : 0);
      },
    });
    this.metrics.gauge({
      name: 'subscriber_stream_connected',
      help: "1 while the gateway's stream is connected; 0 on replicas that do not read the channels.",
      collect() {
        this.set(sources.connected() ? 1 : 0);
      },
    });
    this.metrics.gauge({
      name: 'subscriber_messages_held',
      help: 'Messages received and not stored yet; at most the window.',
      collect() {
        this.set(sources.held());
      },
    });
  }
}
