import type { Logger } from '@ssb/platform';
import {
  QueueReader,
  type DeadLetters,
  type EventQueue,
  type EventWorker,
  type FailedJobReports,
  type RedisConnection,
} from '@ssb/redis-queue';
import { MAX_STATE_AGE_MS, type PublisherMetrics } from './publisher-metrics.js';

const CHECK_INTERVAL_MS = 2_000;

export interface QueueMonitorDependencies {
  readonly redis: RedisConnection;
  readonly queue: EventQueue;
  readonly deadLetters: DeadLetters;
  readonly worker: Pick<EventWorker, 'lastProgress'>;
  readonly reports: FailedJobReports;
  readonly metrics: PublisherMetrics;
  readonly log: Logger;
  readonly stuckAfterMs: number;
  /** Without progress for this time the process is not live. Longer than every attempt to publish. */
  readonly restartAfterMs: number;
}

/** Reads the queue regularly for metrics and readiness. It measures progress, because a connected BullMQ worker may still take no jobs. */
export class QueueMonitor {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;
  private oldestWaitingMs = 0;
  private lastReadFailed = false;
  private readonly reader;
  /** When Redis last responded, and since when it has responded every time; epoch milliseconds. */
  private respondedAt = 0;
  private respondsSince = 0;

  constructor(private readonly dependencies: QueueMonitorDependencies) {
    this.reader = new QueueReader(dependencies);
  }

  start(): void {
    this.dependencies.metrics.observeProgress(() => this.dependencies.worker.lastProgress());
    this.round = this.runRound();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** @throws Error when an event waits and no event is processed */
  assertProgress(): void {
    const { worker, stuckAfterMs } = this.dependencies;
    const sinceProgressMs = Date.now() - worker.lastProgress().getTime();
    if (isStuck({ oldestWaitingMs: this.oldestWaitingMs, sinceProgressMs }, stuckAfterMs))
      throw new Error(
        `An event has waited for ${Math.round(this.oldestWaitingMs / 1_000)} s and no event was processed since`,
      );
  }

  /** @throws Error when only a restart can help: Redis responds, an event waits, and the worker takes none */
  assertLife(): void {
    const { worker, restartAfterMs } = this.dependencies;
    const state = {
      now: Date.now(),
      oldestWaitingMs: this.oldestWaitingMs,
      progressAt: worker.lastProgress().getTime(),
      respondedAt: this.respondedAt,
      respondsSince: this.respondsSince,
    };
    if (needsRestart(state, restartAfterMs))
      throw new Error(
        `An event has waited for ${Math.round(this.oldestWaitingMs / 1_000)} s, Redis responds, and no attempt started or ended for ${restartAfterMs / 1_000} s`,
      );
  }

  private async runRound(): Promise<void> {
    try {
      await this.readQueue();
      const now = Date.now();
      if (this.lastReadFailed || now - this.respondedAt > MAX_STATE_AGE_MS) this.respondsSince = now;
      this.respondedAt = now;
      this.lastReadFailed = false;
    } catch (error) {
      if (!this.lastReadFailed) this.dependencies.log.warn({ err: error }, 'queue read failed');
      this.lastReadFailed = true;
    }
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.round = this.runRound();
    }, CHECK_INTERVAL_MS);
  }

  private async readQueue(): Promise<void> {
    const { deadLetters, reports, metrics, log } = this.dependencies;
    const state = await this.reader.read();
    this.oldestWaitingMs = state.oldestWaitingMs;
    if (state.depth.failed > 0) {
      const adopted = await deadLetters.addFailedJobs(reports);
      if (adopted > 0) log.error({ adopted }, 'failed jobs moved to dead letters');
    }
    metrics.showQueue({
      ...state,
      deadLetters: await deadLetters.count(),
      unverifiedDeadLetters: await deadLetters.countUnverified(),
    });
  }
}

/** How long a job has been available, and how long ago the worker last made progress. */
export interface WorkerProgress {
  readonly oldestWaitingMs: number;
  readonly sinceProgressMs: number;
}

/** Whether a running worker makes no progress although jobs are available. An old job alone can also mean a long queue after an outage. */
export function isStuck({ oldestWaitingMs, sinceProgressMs }: WorkerProgress, limitMs: number): boolean {
  return oldestWaitingMs > limitMs && sinceProgressMs > limitMs;
}

/** Times in epoch milliseconds. */
export interface WorkerState {
  readonly now: number;
  readonly oldestWaitingMs: number;
  /** When an attempt last started or ended. */
  readonly progressAt: number;
  /** When Redis last responded, and since when it has responded every time. */
  readonly respondedAt: number;
  readonly respondsSince: number;
}

/** Whether the worker takes no jobs although Redis responds. After an outage it has the whole limit to reconnect. */
export function needsRestart(
  { now, oldestWaitingMs, progressAt, respondedAt, respondsSince }: WorkerState,
  limitMs: number,
): boolean {
  if (now - respondedAt > MAX_STATE_AGE_MS) return false;
  return isStuck({ oldestWaitingMs, sinceProgressMs: now - Math.max(progressAt, respondsSince) }, limitMs);
}
