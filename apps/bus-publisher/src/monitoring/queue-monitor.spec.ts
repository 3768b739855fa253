import { randomUUID } from 'node:crypto';
import type { DetectedEvent } from '@ssb/events';
import { FixedKeys, KeyRing } from '@ssb/keys';
import { createLogger, Metrics } from '@ssb/platform';
import { openDeadLetters, openEventQueue, connectRedis } from '@ssb/redis-queue';
import { startTestRedis, waitFor } from '@ssb/testing';
import { PublisherMetrics } from './publisher-metrics.js';
import { isStuck, needsRestart, QueueMonitor } from './queue-monitor.js';

describe('isStuck', () => {
  it.each([
    ['a job waits and nothing moves', 61_000, 61_000, true],
    ['a job waits while others are processed', 61_000, 10, false],
    ['nothing moves because nothing waits', 0, 900_000, false],
    ['exactly at the limit', 60_000, 60_000, false],
  ])('%s', (_, oldestWaitingMs, sinceProgressMs, expected) => {
    expect(isStuck({ oldestWaitingMs, sinceProgressMs }, 60_000)).toBe(expected);
  });
});

describe('needsRestart', () => {
  const now = 10_000_000;
  const dead = {
    now,
    oldestWaitingMs: 61_000,
    progressAt: now - 61_000,
    respondedAt: now - 2_000,
    respondsSince: now - 61_000,
  };

  it.each([
    ['a job waits, Redis responds and nothing moves', {}, true],
    ['nothing waits', { oldestWaitingMs: 0 }, false],
    ['an attempt ended', { progressAt: now - 59_000 }, false],
    ['Redis does not respond', { respondedAt: now - 10_001 }, false],
    ['Redis has just come back', { respondsSince: now - 59_000 }, false],
  ])('%s: %p', (_, change, expected) => {
    expect(needsRestart({ ...dead, ...change }, 60_000)).toBe(expected);
  });
});

it('finds a worker that takes no events, also while a server that does not have the queue does not respond', async () => {
  const server = await startTestRedis();
  const other = await startTestRedis();
  const otherRedis = connectRedis(other.url, { name: 'queue-monitor-memory' });
  await otherRedis.ping();
  const redis = connectRedis(server.url, { name: 'queue-monitor', blocking: true });
  const keys = new FixedKeys(new KeyRing([{ version: 1, activeFrom: new Date(0), secret: 's'.repeat(32) }]));
  const queue = openEventQueue({ redis, keys });
  const deadLetters = openDeadLetters({ redis, keys });
  const metrics = new Metrics();
  const text = (): Promise<string> => metrics.registry.metrics();
  const log = createLogger({ name: 'bus-publisher', level: 'silent', format: 'json' });
  const monitor = new QueueMonitor({
    redis: otherRedis,
    queue,
    deadLetters,
    metrics: new PublisherMetrics(metrics),
    log,
    worker: { lastProgress: () => new Date(0) },
    reports: { reportDeadLetters: () => Promise.resolve() },
    stuckAfterMs: 1,
    restartAfterMs: 1,
  } as never);
  try {
    // Sampled before the server is paused.
    monitor.start();
    for (const name of ['used', 'limit']) {
      const shown = new RegExp(`^settlement_bridge_queue_redis_memory_${name}_bytes [1-9]\\d+$`, 'm');
      await waitFor(`the memory: ${name}`, async () => shown.test(await text()));
    }
    other.pause();
    await queue.enqueue([{ id: randomUUID(), type: 'settlementbus.margin.breached.v1' } as DetectedEvent]);
    await waitFor('the verdict', () => {
      try {
        monitor.assertLife();
        return false;
      } catch (error) {
        return /Redis responds, and no attempt/.test(String(error));
      }
    });
    await waitFor('the jobs', async () =>
      /^settlement_bridge_queue_jobs\{state="waiting"\} 1$/m.test(await text()),
    );
  } finally {
    other.resume();
    await monitor.stop();
    await queue.close();
    await deadLetters.close();
    redis.disconnect();
    otherRedis.disconnect();
    await server.stop();
    await other.stop();
  }
});
