import { connectRedis } from '@ssb/redis-queue';
import { startTestRedis, type TestRedis, waitFor } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { Replicas } from './replicas.js';

let server: TestRedis;
let redis: Redis;
let key: string;
let started: Replicas[];

beforeAll(async () => {
  server = await startTestRedis();
  redis = connectRedis(server.url, { name: 'replicas-spec' });
});
afterAll(async () => {
  await redis.quit();
  await server.stop();
});
beforeEach(() => {
  key = randomUUID();
  started = [];
});
afterEach(() => Promise.all(started.map((each) => each.stop())));

/** No pause of the test makes a registration end. */
const LONG_MS = 60_000;

async function start(
  holder: string,
  participants: readonly string[],
  { intervalMs = 20, ttlMs = LONG_MS, onSuccess = (): unknown => undefined } = {},
): Promise<Replicas> {
  const onError = (error: unknown): never => {
    throw error;
  };
  const replicas = new Replicas({
    redis,
    key,
    settingsKey: `${key}:settings`,
    holder,
    ttlMs,
    intervalMs,
    onSuccess,
    onError,
  });
  started.push(replicas);
  await replicas.start(() => participants);
  return replicas;
}

it('counts the replicas with the same participants, whatever their order', async () => {
  const first = await start('first', ['A', 'B']);
  expect(first.count).toBe(1);
  const second = await start('second', ['B', 'A']);
  const other = await start('other', ['A']);
  expect(second.count).toBe(2);
  expect(other.count).toBe(1);
  await waitFor('the second', () => first.count === 2);
  await second.stop();
  await waitFor('its end', () => first.count === 1);
});

it('forgets a replica that does not register any more', async () => {
  const first = await start('first', ['A']);
  await start('crashed', ['A'], { ttlMs: 400, intervalMs: 3_600_000 });
  await waitFor('the end of its registration', async () => (await redis.zcard(key)) === 1);
  await waitFor('its notice', () => first.count === 1);
});

it('counts a replica once when its participants change', async () => {
  const participants = ['A'];
  const first = await start('first', participants);
  const second = await start('second', ['A', 'B']);
  participants.push('B');
  await waitFor('both', () => first.count === 2 && second.count === 2);
  expect(await redis.zcard(key)).toBe(2);
});

it('reports each registration, so that the end of a failure is known', async () => {
  let successes = 0;
  await start('first', ['A'], { onSuccess: () => (successes += 1) });
  await waitFor('another registration', () => successes > 1);
});
