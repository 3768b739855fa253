import type { Logger } from '@ssb/platform';
import type { DeadLetters, EventQueue, EventWorker, FailedJobReports } from '@ssb/queue';
import type { PublisherMetrics } from './publisher-metrics.js';

const CHECK_INTERVAL_MS = 2_000;

export interface QueueMonitorDependencies {
  readonly queue: EventQueue;
  readonly deadLetters: DeadLetters;
  readonly worker: EventWorker;
  readonly publisher: FailedJobReports;
  readonly metrics: PublisherMetrics;
  readonly log: Logger;
  readonly stuckAfterMs: number;
}

/** Reads the queue regularly for metrics and readiness. It measures progress, because a connected BullMQ worker may still take no jobs. */
export class QueueMonitor {
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private stopped = false;
  private oldestWaitingMs = 0;
  private lastReadFailed = false;

  constructor(private readonly dependencies: QueueMonitorDependencies) {}

  start(): void {
    this.round = this.runRound();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.round;
  }

  /** @throws Error when an event waits and no event is processed */
  requireProgress(): void {
    const { worker, stuckAfterMs } = this.dependencies;
    const sinceProgressMs = Date.now() - worker.lastProgress().getTime();
    if (isStuck({ oldestWaitingMs: this.oldestWaitingMs, sinceProgressMs }, stuckAfterMs))
      throw new Error(
        `An event has waited for ${Math.round(this.oldestWaitingMs / 1_000)} s and no event was processed since`,
      );
  }

  private async runRound(): Promise<void> {
    try {
      await this.readQueue();
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
    const { queue, deadLetters, worker, publisher, metrics, log } = this.dependencies;
    const now = new Date();
    const depth = await queue.depth();
    for (const [state, count] of Object.entries(depth)) metrics.jobs.set({ state }, Number(count));
    const oldest = await queue.oldestWaiting(now);
    this.oldestWaitingMs = oldest === undefined ? 0 : now.getTime() - oldest.getTime();
    metrics.oldestWaiting.set(this.oldestWaitingMs / 1_000);
    metrics.sinceProgress.set((now.getTime() - worker.lastProgress().getTime()) / 1_000);
    if (depth.failed > 0) {
      const adopted = await deadLetters.addFailedJobs(publisher);
      if (adopted > 0) log.error({ adopted }, 'failed jobs moved to dead letters');
    }
    metrics.deadLetters.set(await deadLetters.count());
    metrics.unverifiedDeadLetters.set(await deadLetters.countUnverified());
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
