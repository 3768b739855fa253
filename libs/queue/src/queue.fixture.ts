import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { createMarginEvent, type DetectedEvent, type EventId } from '@ssb/events';
import { connectRedis } from '@ssb/redis';
import type { TestRedis } from '@ssb/testing';
import { openDeadLetters, type DeadLetters } from './dead-letters.js';
import { openEventQueue, type EventQueue } from './event-queue.js';
import { EventWorker, type EventWorkerOptions, type Publisher, type PublishResult } from './event-worker.js';

export const PUBLISHED: PublishResult = { outcome: 'published' };
export const EVENT_ID = 'b6a1f9a2-6c1e-4b59-9d51-0a9d6f0f3c11';

/** Queue, dead letters and workers under a prefix of their own. */
export class QueueFixture {
  readonly prefix = `{${randomUUID()}}`;
  readonly redis: Redis;
  readonly queue: EventQueue;
  readonly deadLetters: DeadLetters;
  private readonly workers: EventWorker[] = [];

  constructor(server: TestRedis) {
    this.redis = connectRedis(server.url, { name: 'queue-spec', blocking: true });
    this.queue = openEventQueue(this.redis, this.prefix);
    this.deadLetters = openDeadLetters(this.redis, this.prefix);
  }

  startWorker(publish: Publisher['publish'], options: Partial<EventWorkerOptions> = {}): EventWorker {
    const worker = new EventWorker(
      {
        redis: this.redis,
        prefix: this.prefix,
        concurrency: 4,
        deadLetters: this.deadLetters,
        onError: () => undefined,
        stalledCheckMs: 200,
        backoff: { baseMs: 5, maxMs: 200 },
        ...options,
      },
      { publish },
    );
    this.workers.push(worker);
    return worker;
  }

  async isEmpty(): Promise<boolean> {
    const { waiting, active, delayed } = await this.queue.depth();
    return waiting + active + delayed === 0;
  }

  async close(): Promise<void> {
    for (const worker of this.workers) await worker.close();
    await this.queue.close();
    await this.deadLetters.close();
    this.redis.disconnect();
  }
}

export function sampleEvent(id: string): DetectedEvent {
  const event = createMarginEvent(
    {
      participant: 'WPGENCO',
      tradingDay: '2026-03-02T00:00:00',
      calculatedAt: '2026-03-02T09:00:00',
      level: 'BREACHED',
      previousLevel: 'OK',
      tradingMargin: '123456789012345.67890123',
      thresholds: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' },
    },
    {
      detectedAt: new Date('2026-03-02T01:00:05.123Z'),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
  );
  return { ...event, id: id as EventId };
}
