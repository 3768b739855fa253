import { checkDurability, connectRedis } from '@ssb/redis';

/**
 * What could make this Redis lose jobs, one sentence each.
 * @throws UnsafeRedisError in production, when there is a danger
 */
export async function durabilityWarnings(url: string, production: boolean): Promise<string[]> {
  const redis = connectRedis(url, { name: 'durability-check' });
  try {
    return await checkDurability(redis, { production });
  } finally {
    redis.disconnect();
  }
}
