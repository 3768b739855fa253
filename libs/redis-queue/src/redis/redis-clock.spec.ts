import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { connectRedis } from './connect.js';
import { readRedisClock } from './redis-clock.js';

describe('readRedisClock', () => {
  let server: TestRedis;
  let redis: Redis;

  beforeAll(async () => {
    server = await startTestRedis();
    redis = connectRedis(server.url, { name: 'clock' });
  });

  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });

  it('reads the time of the server between request and answer', async () => {
    const { requestedAt, respondedAt, remoteTime, resolutionMs } = await readRedisClock(redis);
    // Server and test run on one machine. Both clocks are rounded down to milliseconds.
    expect(remoteTime + resolutionMs).toBeGreaterThanOrEqual(requestedAt);
    expect(remoteTime).toBeLessThanOrEqual(respondedAt);
  });
});
