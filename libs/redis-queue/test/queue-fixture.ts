import { randomUUID } from 'node:crypto';
import { createFactEvent, type DetectedEvent, type EventId } from '@ssb/events';
import { KeyRing, type KeySource } from '@ssb/keys';
import { connectRedis } from '../src/redis/connect.js';
import { type RedisConnection } from '../src/redis/servers.js';
import { server, setUpRedis } from './redis-fixture.js';
import { openDeadLetters, type DeadLetters } from '../src/queue/dead-letters/dead-letters.js';
import type { RefusedJob } from '../src/queue/domain/refused-job.js';
import { openEventQueue, type EventQueue } from '../src/queue/event-queue.js';
import { EventWorker, type EventWorkerOptions, type Publisher } from '../src/queue/event-worker.js';
import { EVENTS_QUEUE, openQueue, type QueueOptions } from '../src/queue/open-queue.js';
import type { PublishResult } from '../src/queue/domain/publish-result.js';

export const PUBLISHED: PublishResult = { outcome: 'published' };
export const EVENT_ID = 'b6a1f9a2-6c1e-4b59-9d51-0a9d6f0f3c11';

const SECRETS = [
  'the first secret, of more than 32 characters',
  'the second secret, of more than 32 characters',
];

/** The keys of a process. A rotation adds a version. */
export class TestKeys implements KeySource {
  constructor(private count = 1) {}

  current(): KeyRing {
    const versions = SECRETS.slice(0, this.count);
    return new KeyRing(
      versions.map((secret, index) => ({ version: index + 1, activeFrom: new Date(index), secret })),
    );
  }

  rotate(): void {
    this.count += 1;
  }

  async refresh(): Promise<void> {}
}

/** The queue of the current test. */
export let fixture: QueueFixture;

/** Call once at the top level of a test file. */
export function setUpQueue(): void {
  setUpRedis();
  beforeEach(() => {
    fixture = new QueueFixture();
  });
  afterEach(() => fixture.close());
}

/** Queue, dead letters and workers under a prefix of their own. */
export class QueueFixture {
  readonly prefix = `{${randomUUID()}}`;
  readonly keys = new TestKeys();
  readonly refused: RefusedJob[] = [];
  readonly redis: RedisConnection;
  readonly queue: EventQueue;
  readonly deadLetters: DeadLetters;
  private readonly workers: EventWorker[] = [];

  constructor() {
    this.redis = connectRedis(server.url, { name: 'queue-spec', blocking: true });
    this.queue = openEventQueue(this.options());
    this.deadLetters = openDeadLetters(this.options());
  }

  options(): QueueOptions {
    return { redis: this.redis, prefix: this.prefix, keys: this.keys };
  }

  /** Adds a job as any client of Redis can. */
  async addRaw(jobId: string, data: unknown): Promise<void> {
    const raw = openQueue(EVENTS_QUEUE, this.options());
    await raw.add('anything', data, { jobId });
    await raw.close();
  }

  /** Writes fields of a job of the events queue, which need not be on any list. */
  async writeFields(jobId: string, ...fields: string[]): Promise<void> {
    await this.redis.hset(`${this.prefix}:${EVENTS_QUEUE}:${jobId}`, ...fields);
  }

  startWorker(publish: Publisher['publish'], options: Partial<EventWorkerOptions> = {}): EventWorker {
    const worker = new EventWorker(
      {
        ...this.options(),
        concurrency: 4,
        deadLetters: this.deadLetters,
        onError: () => undefined,
        stalledCheckMs: 200,
        backoff: { baseMs: 5, maxMs: 200 },
        unknownKeyAttempts: 2,
        ...options,
      },
      { publish },
      { reportRefused: async (jobs) => void this.refused.push(...jobs) },
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
  const event = createFactEvent(
    {
      type: 'settlementbus.margin.breached.v1',
      data: {
        tradingDay: '2026-03-02T00:00:00',
        calculatedAt: '2026-03-02T09:00:00',
        level: 'BREACHED',
        previousLevel: 'OK',
        tradingMargin: '123456789012345.67890123',
        thresholds: { warning: '250000.00', breach: '0.00', hysteresis: '25000.00' },
      },
    },
    'WPGENCO',
    {
      detectedAt: new Date('2026-03-02T01:00:05.123Z'),
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    },
  );
  return { ...event, id: id as EventId };
}
