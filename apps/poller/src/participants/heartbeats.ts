import {
  createHeartbeatEvent,
  MARKET_INTERFACES,
  type InterfacePolls,
  type MarketInterface,
} from '@ssb/events';
import { type Logger, eventAttributes, startSpan, startTrace } from '@ssb/platform';
import type { EventQueue } from '@ssb/redis-queue';
import { FailureLog } from '../faults/failure-log.js';
import type { FencingToken } from '../state/poller-keys.js';
import type { ParticipantMetrics } from '../metrics/participant-metrics.js';
import type { PollerStateStore } from '../state/poller-state-store.js';

export interface HeartbeatsOptions {
  readonly participant: string;
  /** Fully qualified names of the channels that the routes use. */
  readonly channels: () => readonly string[];
  /** Time between two heartbeats, milliseconds. */
  readonly intervalMs: number;
  readonly pollIntervalMs: Readonly<Record<MarketInterface, number>>;
  readonly now: () => Date;
  readonly store: PollerStateStore;
  readonly queue: EventQueue;
  readonly metrics: ParticipantMetrics;
  readonly log: Logger;
}

/** Queues a heartbeat for each channel at fixed intervals, from `start` to `stop`. */
export class Heartbeats {
  private readonly failures: FailureLog;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;

  constructor(private readonly options: HeartbeatsOptions) {
    this.failures = new FailureLog(options.log);
  }

  /** Queues the first heartbeats at once. */
  start(heldToken: () => FencingToken | undefined): void {
    clearInterval(this.timer);
    this.timer = setInterval(() => this.beat(heldToken()), this.options.intervalMs);
    this.beat(heldToken());
  }

  /** Resolves when the heartbeats in flight are queued, or have failed. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Whether heartbeats are being queued. */
  isBusy(): boolean {
    return this.running !== undefined;
  }

  /** Leaves a heartbeat out while the previous one waits for Redis. */
  private beat(token: FencingToken | undefined): void {
    if (token === undefined) return;
    this.running ??= this.queueAll(token)
      .then(
        () => this.failures.succeeded('heartbeat'),
        (error: unknown) => this.failures.failed('heartbeat', error),
      )
      .finally(() => (this.running = undefined));
  }

  private async queueAll(token: FencingToken): Promise<void> {
    const { participant, channels, intervalMs, pollIntervalMs, now, store, queue, metrics, log } =
      this.options;
    const successes = await store.readLastSuccesses(token);
    // A new leader shows at once when its predecessor last succeeded.
    for (const name of MARKET_INTERFACES) metrics.showSuccess(name, new Date(successes[name] ?? 0));
    const pollsOf = (name: MarketInterface): InterfacePolls => ({
      intervalMs: pollIntervalMs[name],
      ...(successes[name] !== undefined && { lastSuccess: successes[name] }),
    });
    const polls = { prudential: pollsOf('prudential'), settlement: pollsOf('settlement') };
    for (const channel of channels()) {
      const trace = startTrace('heartbeat create');
      const { traceparent } = trace;
      const event = createHeartbeatEvent(
        { participant, channel, intervalMs, polls },
        { detectedAt: now(), traceparent },
      );
      metrics.shared.detected.inc({ type: event.type });
      const attributes = eventAttributes(event);
      trace.succeed('created', attributes);
      const span = startSpan('event enqueue', { kind: 'producer', parent: traceparent, attributes });
      await span.during(queue.enqueueHeartbeat(event), 'queued');
      metrics.shared.countQueued(event);
      log.debug({ eventId: event.id, eventType: event.type, channel }, 'heartbeat queued');
    }
  }
}
