import { startTestRedis, type TestRedis } from '@ssb/testing';
import type { Redis } from 'ioredis';
import { connectRedis } from '../src/redis/connect.js';

/** The server of a test file, and a connection to it. */
export let server: TestRedis;
export let redis: Redis;

/** Call once in a test file. */
export function setUpRedis(): void {
  beforeAll(async () => {
    server = await startTestRedis();
    redis = connectRedis(server.url, { name: 'spec' });
  });
  afterAll(async () => {
    redis.disconnect();
    await server.stop();
  });
}
