import { Injectable } from '@nestjs/common';
import type { Message } from '@ssb/bus';
import { PROBLEM_KINDS, SEVERITIES } from '@ssb/events';
import { Metrics, ScrapeReading, secondsSince, type Logger } from '@ssb/platform';
import type { Database } from '@ssb/postgres';
import { DELIVERY_MODES, type DeliveryMode } from './reader/delivery-detector.js';
import { LASTING_STATES } from './domain/delivery-kind.js';
import { countOpenProblems } from './problems/problem-table.js';
import { toMilliseconds } from './domain/nanoseconds.js';
import type { HeartbeatAge } from './heartbeats/domain/heartbeat.js';
import { METRICS } from './metrics.js';
import type { PlannedDelivery } from './domain/delivery-kind.js';
import { summarisePending, type PendingSummary } from './deliveries/outbox/pending-summary.js';
import type { ParkedDeliveries } from './deliveries/outbox/parked-deliveries.js';
import type { SentDelivery } from './deliveries/outbox/pending-delivery.js';

/** The query reads a row of every subject with pending deliveries, and every replica is scraped. */
const OUTBOX_MAX_AGE_MS = 5_000;

const NOTHING_PENDING: PendingSummary = { depth: 0, oldestSeconds: 0 };

/** What the metrics show of a `ReaderSession`. */
interface ObservedSession {
  readonly stream: {
    readonly connected: boolean;
    readonly bufferedCount: number;
    readonly deliveryMode: DeliveryMode | undefined;
    readonly completeUntil: Date | undefined;
  };
  heartbeatAges(): readonly HeartbeatAge[];
}

/** The subscriber's own metrics. */
@Injectable()
export class SubscriberMetrics {
  readonly received = this.metrics.counter(METRICS.received);
  readonly archived = this.metrics.counter(METRICS.archived);
  readonly repeats = this.metrics.counter(METRICS.repeats);
  readonly quarantined = this.metrics.counter(METRICS.quarantined);
  readonly quarantineReleased = this.metrics.counter(METRICS.quarantineReleased);
  readonly gaps = this.metrics.counter(METRICS.gaps);
  readonly catchUps = this.metrics.counter(METRICS.catchUps);
  readonly catchUpConsumers = this.metrics.counter(METRICS.catchUpConsumers);
  readonly catchUpMessages = this.metrics.counter(METRICS.catchUpMessages);
  readonly pushesDropped = this.metrics.counter(METRICS.pushesDropped);
  readonly malformed = this.metrics.counter(METRICS.malformed);
  readonly storageFailures = this.metrics.counter(METRICS.storageFailures);
  readonly leaseEnds = this.metrics.counter(METRICS.leaseEnds);
  readonly deliveryAttempts = this.metrics.counter(METRICS.deliveryAttempts);
  readonly replacedDeliveries = this.metrics.counter(METRICS.replacedDeliveries);
  readonly withheldDeliveries = this.metrics.counter(METRICS.withheldDeliveries);
  readonly digests = this.metrics.counter(METRICS.digests);
  readonly reminders = this.metrics.counter(METRICS.reminders);
  readonly silences = this.metrics.gauge(METRICS.silences);
  readonly requests = this.metrics.counter(METRICS.requests);

  private readonly testHeartbeat = this.metrics.gauge(METRICS.testHeartbeat);
  /** Epoch seconds, by participant and channel of CONFIG_FILE. */
  private readonly newestTests = new Map<string, number>();
  private readonly publishedToVerified = this.metrics.histogram(METRICS.publishedToVerified);
  private readonly verifiedToDelivered = this.metrics.histogram(METRICS.verifiedToDelivered);
  private readonly detectedToDelivered = this.metrics.histogram(METRICS.detectedToDelivered);
  /** When the first of the sink's latest failures in a row began, epoch milliseconds. */
  private readonly failingSince = new Map<string, number>();

  private readonly shownSinks = new Set<string>();

  constructor(private readonly metrics: Metrics) {}

  observeVerified({ timestampNanos }: Pick<Message, 'timestampNanos'>): void {
    this.publishedToVerified.observe(secondsSince(toMilliseconds(timestampNanos)));
  }

  /** A recheck of the quarantine can archive an older one later. */
  observeTestHeartbeat(participant: string, channel: string, at: Date): void {
    const key = `${participant} ${channel}`;
    const newest = Math.max(at.getTime() / 1_000, this.newestTests.get(key) ?? 0);
    this.newestTests.set(key, newest);
    this.testHeartbeat.set({ participant, channel }, newest);
  }

  countWithheld(deliveries: readonly Pick<PlannedDelivery, 'sink' | 'withheld'>[]): void {
    for (const { sink, withheld: reason } of deliveries)
      if (reason !== undefined) this.withheldDeliveries.inc({ sink, reason });
  }

  observeAttempt(
    sink: string,
    isDelivered: boolean,
    delivery: Pick<SentDelivery, 'detectedAt' | 'archivedAt' | 'replayed' | 'resent' | 'aboutEventId'>,
  ): void {
    if (!isDelivered) {
      if (!this.failingSince.has(sink)) this.failingSince.set(sink, Date.now());
      return;
    }
    this.failingSince.delete(sink);
    // These are sent long after the event.
    if (delivery.replayed || delivery.resent || delivery.aboutEventId !== null) return;
    this.verifiedToDelivered.observe({ sink }, secondsSince(delivery.archivedAt.getTime()));
    this.detectedToDelivered.observe({ sink }, secondsSince(Date.parse(delivery.detectedAt)));
  }

  /** Another replica makes the next attempts. */
  forgetFailures(): void {
    this.failingSince.clear();
  }

  /** Begins the series of these sinks: `rate()` does not count the first value of a series that did not exist before. */
  showSinks(sinks: readonly string[]): void {
    for (const sink of sinks.filter((each) => !this.shownSinks.has(each))) {
      this.shownSinks.add(sink);
      this.verifiedToDelivered.zero({ sink });
      this.detectedToDelivered.zero({ sink });
      this.digests.inc({ sink }, 0);
    }
  }

  /** Registers gauges that are read at each scrape. */
  observe(sources: {
    readonly database: Database;
    readonly parked: ParkedDeliveries;
    readonly log: Logger;
    readonly sinks: () => readonly string[];
    /** Undefined while this replica does not read the channels. */
    readonly session: () => ObservedSession | undefined;
  }): void {
    const { session } = sources;
    // The other metrics must be served even when the database is unavailable.
    const outbox = new ScrapeReading(
      async () => {
        const readAt = Date.now();
        const pending = await summarisePending(sources.database);
        return { readAt, pending, parked: countBySink(await sources.parked.summarise()) };
      },
      { what: 'delivery outbox', log: sources.log, maxAgeMs: OUTBOX_MAX_AGE_MS },
    );
    const observeOutbox = (
      definition: typeof METRICS.outboxDepth | typeof METRICS.outboxOldest,
      toValue: (summary: PendingSummary) => number,
    ): void => {
      this.metrics.gauge(definition, async (gauge) => {
        const pending = (await outbox.get())?.pending;
        gauge.reset();
        if (pending === undefined) return;
        for (const sink of new Set([...sources.sinks(), ...pending.keys()]))
          gauge.set({ sink }, toValue(pending.get(sink) ?? NOTHING_PENDING));
      });
    };
    observeOutbox(METRICS.outboxDepth, ({ depth }) => depth);
    observeOutbox(METRICS.outboxOldest, ({ oldestSeconds }) => oldestSeconds);
    this.metrics.gauge(METRICS.parkedDeliveries, async (gauge) => {
      const parked = (await outbox.get())?.parked;
      gauge.reset();
      if (parked === undefined) return;
      for (const sink of new Set([...sources.sinks(), ...parked.keys()]))
        gauge.set({ sink }, parked.get(sink) ?? 0);
    });
    this.observeProblems(sources.database, sources.log);
    this.showSinks(sources.sinks());
    this.metrics.gauge(METRICS.sinkFailing, async (gauge) => {
      const found = await outbox.get();
      gauge.reset();
      for (const sink of sources.sinks()) {
        const since = this.failingSince.get(sink);
        // Another replica has delivered what this one could not.
        const isOver =
          since !== undefined && found !== undefined && since < found.readAt && !found.pending.has(sink);
        if (isOver) this.failingSince.delete(sink);
        gauge.set({ sink }, since === undefined || isOver ? 0 : secondsSince(since));
      }
    });
    this.metrics.gauge(METRICS.reader, (gauge) => gauge.set(session() === undefined ? 0 : 1));
    this.metrics.gauge(METRICS.streamConnected, (gauge) => gauge.set(session()?.stream.connected ? 1 : 0));
    this.metrics.gauge(METRICS.heartbeatAge, (gauge) => {
      gauge.reset();
      for (const { participant, channel, seconds } of session()?.heartbeatAges() ?? [])
        gauge.set({ participant, channel }, seconds);
    });
    this.metrics.gauge(METRICS.buffered, (gauge) => gauge.set(session()?.stream.bufferedCount ?? 0));
    this.metrics.gauge(METRICS.delivery, (gauge) => {
      for (const mode of DELIVERY_MODES) gauge.set({ mode }, session()?.stream.deliveryMode === mode ? 1 : 0);
    });
    this.metrics.gauge(METRICS.watermarkAge, (gauge) => {
      const until = session()?.stream.completeUntil;
      if (until === undefined) gauge.remove();
      else gauge.set(secondsSince(until.getTime()));
    });
  }

  private observeProblems(database: Database, log: Logger): void {
    const counts = new ScrapeReading(() => countOpenProblems(database), {
      what: 'open problems',
      log,
      maxAgeMs: OUTBOX_MAX_AGE_MS,
    });
    this.metrics.gauge(METRICS.problems, async (gauge) => {
      const found = await counts.get();
      gauge.reset();
      if (found === undefined) return;
      for (const kind of PROBLEM_KINDS)
        for (const severity of SEVERITIES)
          for (const state of LASTING_STATES) gauge.set({ kind, severity, state }, 0);
      for (const { count, ...labels } of found) gauge.set(labels, count);
    });
  }
}

function countBySink(
  summaries: readonly { readonly sink: string; readonly count: number }[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { sink, count } of summaries) counts.set(sink, (counts.get(sink) ?? 0) + count);
  return counts;
}
