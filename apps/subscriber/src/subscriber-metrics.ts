import { withProbeTimeout, type Metrics } from '@ssb/platform';
import { DELIVERY_MODES, type DeliveryMode } from './delivery/detect-delivery.js';
import type { HeartbeatAge } from './heartbeats/domain/heartbeat.js';
import type { AlertOutbox } from './storage/alert-outbox.js';

/** The subscriber's own metrics. */
export class SubscriberMetrics {
  readonly received = this.metrics.counter({
    name: 'subscriber_messages_received_total',
    help: 'Messages received from the gateway and processed.',
  });
  readonly archived = this.metrics.counter({
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
  readonly quarantineReleased = this.metrics.counter({
    name: 'subscriber_quarantine_released_total',
    help: 'Quarantined messages that a later evaluation accepted.',
  });
  readonly gaps = this.metrics.counter({
    name: 'subscriber_gaps_total',
    help: 'Gaps: messages that were removed from the bus before they were received, or that the gateway does not return; alert on any.',
  });
  readonly catchUps = this.metrics.counter({
    name: 'subscriber_catch_ups_total',
    help: 'Catch-ups of a channel with GET /message (plain delivery), by outcome: completed or failed.',
    labelNames: ['outcome'],
  });
  readonly catchUpMessages = this.metrics.counter({
    name: 'subscriber_catch_up_messages_total',
    help: 'Messages that a catch-up stored, because no push had brought them.',
  });
  readonly pushesDropped = this.metrics.counter({
    name: 'subscriber_pushes_dropped_total',
    help: 'Pushed messages that were dropped because too many wait (plain delivery); a catch-up reads them.',
  });
  readonly malformed = this.metrics.counter({
    name: 'subscriber_malformed_messages_total',
    help: 'Messages that do not conform to document 002 and were skipped.',
  });
  readonly storageFailures = this.metrics.counter({
    name: 'subscriber_storage_failures_total',
    help: 'Failed database reads and writes; each is retried.',
  });
  readonly leaseEnds = this.metrics.counter({
    name: 'subscriber_lease_ends_total',
    help: 'Leases that this replica lost or released.',
  });
  readonly alertAttempts = this.metrics.counter({
    name: 'subscriber_alert_attempts_total',
    help: 'Attempts to deliver an alert to a sink, by outcome.',
    labelNames: ['sink', 'outcome'],
  });

  constructor(private readonly metrics: Metrics) {}

  /** Registers gauges that are read at each scrape. */
  observe(sources: {
    readonly outbox: AlertOutbox;
    readonly sinks: readonly string[];
    readonly isReader: () => boolean;
    readonly connected: () => boolean;
    readonly bufferedMessages: () => number;
    /** Undefined while it is not known. */
    readonly deliveryMode: () => DeliveryMode | undefined;
    /** Everything that the bus stored before this time was read; undefined where the gateway keeps the position. */
    readonly completeUntil: () => Date | undefined;
    readonly heartbeatAges: () => readonly HeartbeatAge[];
  }): void {
    this.metrics.gauge({
      name: 'subscriber_alert_outbox_depth',
      help: 'Alerts that are not delivered yet, by sink; absent while the database is unavailable.',
      labelNames: ['sink'],
      async collect() {
        // The other metrics must be served even when the database is unavailable.
        const depth = await withProbeTimeout(() => sources.outbox.depth()).catch(() => undefined);
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
        this.set(sources.isReader() ? 1 : 0);
      },
    });
    this.metrics.gauge({
      name: 'subscriber_stream_connected',
      help: "1 while the gateway's stream is connected, or without /events while it can be read; 0 on replicas that do not read the channels.",
      collect() {
        this.set(sources.connected() ? 1 : 0);
      },
    });
    this.metrics.gauge({
      name: 'subscriber_heartbeat_age_seconds',
      help: 'Age of the newest heartbeat by its own time; absent on replicas that do not read the channels.',
      labelNames: ['participant', 'channel'],
      collect() {
        this.reset();
        for (const { participant, channel, seconds } of sources.heartbeatAges())
          this.set({ participant, channel }, seconds);
      },
    });
    this.metrics.gauge({
      name: 'subscriber_messages_buffered',
      help: 'Messages that are received and not yet stored; with acknowledged delivery at most WINDOW.',
      collect() {
        this.set(sources.bufferedMessages());
      },
    });
    this.metrics.gauge({
      name: 'subscriber_delivery',
      help: '1 for how the gateway delivers messages; 0 for the other mode and on replicas that do not read the channels.',
      labelNames: ['mode'],
      collect() {
        for (const mode of DELIVERY_MODES) this.set({ mode }, sources.deliveryMode() === mode ? 1 : 0);
      },
    });
    this.metrics.gauge({
      name: 'subscriber_watermark_age_seconds',
      help: 'Plain delivery: age of the oldest watermark, before which every message of its channel was read; absent without one.',
      collect() {
        this.reset();
        const until = sources.completeUntil();
        if (until !== undefined) this.set(Math.max(0, (Date.now() - until.getTime()) / 1_000));
      },
    });
  }
}
