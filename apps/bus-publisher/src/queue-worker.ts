import type {
  BeforeApplicationShutdown,
  OnApplicationBootstrap,
  OnApplicationShutdown,
} from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { GatewayClient } from '@ssb/bus';
import type { Logger, Readiness } from '@ssb/platform';
import { EventWorker, type DeadLetters, type EventQueue } from '@ssb/queue';
import type { PublisherMetrics } from './publisher-metrics.js';
import type { Publish } from './publish.js';
import { QueueWatch } from './queue-monitor.js';

export interface PublisherWorkParts {
  readonly redis: Redis;
  readonly gateway: GatewayClient;
  readonly publish: Publish;
  readonly queue: EventQueue;
  readonly deadLetters: DeadLetters;
  readonly metrics: PublisherMetrics;
  readonly readiness: Readiness;
  readonly log: Logger;
  readonly prefix: string;
  readonly concurrency: number;
  readonly stuckAfterMs: number;
}

/** The worker and the watch over it, from start to drained. */
export class PublisherWork
  implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown
{
  private worker: EventWorker | undefined;
  private watch: QueueWatch | undefined;

  constructor(private readonly parts: PublisherWorkParts) {}

  onApplicationBootstrap(): void {
    const { redis, prefix, concurrency, deadLetters, publish, log, readiness, gateway } = this.parts;
    const worker = new EventWorker({
      redis,
      prefix,
      concurrency,
      deadLetters,
      handle: (attempt) => publish.publish(attempt),
      onError: (error) => log.warn({ err: error }, `queue worker: ${error.message}`),
    });
    const watch = new QueueWatch({ ...this.parts, worker });
    readiness.register('redis', async () => {
      await redis.ping();
    });
    readiness.register('gateway', () => gateway.health());
    readiness.register('progress', () => watch.check());
    watch.start();
    this.worker = worker;
    this.watch = watch;
  }

  /** No further events; those under way are brought to their end. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.stopIntake();
    await this.worker?.close();
    await this.watch?.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    const { queue, deadLetters, gateway, redis } = this.parts;
    await queue.close();
    await deadLetters.close();
    await gateway.close();
    redis.disconnect();
  }
}
