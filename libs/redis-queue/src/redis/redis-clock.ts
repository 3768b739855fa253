import type { ClockReading } from '@ssb/net';
import type { RedisConnection } from './servers.js';

/** Reads the clock of the Redis server. Rejects as every command of the connection does. */
export async function readRedisClock(redis: RedisConnection): Promise<ClockReading> {
  const requestedAt = Date.now();
  const [seconds, microseconds] = await redis.time();
  const respondedAt = Date.now();
  const remoteTime = Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  return { requestedAt, respondedAt, remoteTime, resolutionMs: 1 };
}
