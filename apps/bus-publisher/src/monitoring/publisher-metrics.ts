import { Injectable } from '@nestjs/common';
import { isEventType } from '@ssb/events';
import { Metrics, OTHER, secondsSince, type GaugeDefinition } from '@ssb/platform';
import { observeQueue, type QueueState } from '@ssb/redis-queue';
import { METRICS } from '../metrics.js';

/** The queue and its dead letters, as found in Redis. */
export interface PublisherQueueState extends QueueState {
  readonly deadLetters: number;
  readonly unverifiedDeadLetters: number;
}

/** A state that is older is unknown, and is not shown. */
export const MAX_STATE_AGE_MS = 10_000;

/** The bus-publisher's own metrics. */
@Injectable()
export class PublisherMetrics {
  private readonly attempts;
  readonly origin;
  private readonly queueWait;
  readonly detectedToPublished;
  readonly refusedJobs;
  readonly evictedRefusedJobs;
  readonly retriedDeadLetters;
  private queue: { readonly state: PublisherQueueState; readonly at: number } | undefined;
  private lastProgress = (): Date => new Date();

  constructor(private readonly metrics: Metrics) {
    this.attempts = metrics.counter(METRICS.attempts);
    this.origin = metrics.gauge(METRICS.origin);
    this.queueWait = metrics.histogram(METRICS.queueWait);
    this.detectedToPublished = metrics.histogram(METRICS.detectedToPublished);
    this.refusedJobs = metrics.counter(METRICS.refusedJobs);
    this.evictedRefusedJobs = metrics.counter(METRICS.evictedRefusedJobs);
    this.retriedDeadLetters = metrics.counter(METRICS.retriedDeadLetters);
    observeQueue(metrics, () => this.freshState());
    this.observeLetters(METRICS.deadLetters, ({ deadLetters }) => deadLetters);
    this.observeLetters(METRICS.unverifiedDeadLetters, ({ unverifiedDeadLetters }) => unverifiedDeadLetters);
    metrics.gauge(METRICS.sinceProgress, (gauge) => gauge.set(secondsSince(this.lastProgress().getTime())));
  }

  /** @param type of the event; the catalogue need not have it */
  countAttempt(type: string, outcome: string): void {
    this.attempts.inc({ type: isEventType(type) ? type : OTHER, outcome });
  }

  /** Anything may be in the time of a job in Redis. */
  observeQueueWait(waitedMs: number): void {
    if (waitedMs >= 0) this.queueWait.observe(waitedMs / 1_000);
  }

  /** @param lastProgress when an attempt last started or ended */
  observeProgress(lastProgress: () => Date): void {
    this.lastProgress = lastProgress;
  }

  showQueue(state: PublisherQueueState): void {
    this.queue = { state, at: Date.now() };
  }

  /** Undefined while the state is not known. */
  freshState(): PublisherQueueState | undefined {
    return this.queue !== undefined && Date.now() - this.queue.at < MAX_STATE_AGE_MS
      ? this.queue.state
      : undefined;
  }

  private observeLetters(
    definition: GaugeDefinition<never>,
    toValue: (state: PublisherQueueState) => number | undefined,
  ): void {
    this.metrics.gauge(definition, (gauge) => {
      const state = this.freshState();
      const value = state && toValue(state);
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    });
  }
}
