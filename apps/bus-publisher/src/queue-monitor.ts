import type { Logger } from '@ssb/platform';
import { isStuck, type DeadLetters, type EventQueue, type EventWorker } from '@ssb/queue';
import type { PublisherMetrics } from './publisher-metrics.js';

const LOOK_EVERY_MS = 2_000;

export interface QueueWatchParts {
  readonly queue: EventQueue;
  readonly deadLetters: DeadLetters;
  readonly worker: EventWorker;
  readonly metrics: PublisherMetrics;
  readonly log: Logger;
  readonly stuckAfterMs: number;
}

/**
 * Looks at the queue from outside the worker. A BullMQ worker can look alive and take nothing (after a long Redis outage, by reports): so
 * health comes from progress, not from the worker's own word.
 */
export class QueueWatch {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private stopped = false;
  private oldestWaitingMs = 0;
  private blind = false;

  constructor(private readonly parts: QueueWatchParts) {}

  start(): void {
    this.looking = this.look();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  /** @throws Error with a sentence when events wait and nothing moves */
  check(): void {
    const { worker, stuckAfterMs } = this.parts;
    const sinceProgressMs = Date.now() - worker.lastProgress().getTime();
    if (isStuck({ oldestWaitingMs: this.oldestWaitingMs, sinceProgressMs }, stuckAfterMs))
      throw new Error(
        `an event has waited for ${Math.round(this.oldestWaitingMs / 1_000)} s and nothing was worked off since`,
      );
  }

  private async look(): Promise<void> {
    try {
      await this.read();
      this.blind = false;
    } catch (error) {
      if (!this.blind) this.parts.log.warn({ err: error }, 'the queue cannot be looked at');
      this.blind = true;
    }
    if (this.stopped) return;
    this.timer = setTimeout(() => {
      this.looking = this.look();
    }, LOOK_EVERY_MS);
  }

  private async read(): Promise<void> {
    const { queue, deadLetters, worker, metrics, log } = this.parts;
    const now = new Date();
    const depth = await queue.depth();
    for (const [state, count] of Object.entries(depth)) metrics.jobs.set({ state }, Number(count));
    const oldest = await queue.oldestWaiting(now);
    this.oldestWaitingMs = oldest === undefined ? 0 : now.getTime() - oldest.getTime();
    metrics.oldestWaiting.set(this.oldestWaitingMs / 1_000);
    metrics.sinceProgress.set((now.getTime() - worker.lastProgress().getTime()) / 1_000);
    if (depth.failed > 0) {
      const adopted = await deadLetters.adoptFailed();
      log.error({ adopted }, 'failed jobs were found in the queue and parked as dead letters');
    }
    metrics.deadLetters.set(await deadLetters.count());
  }
}
