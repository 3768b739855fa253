import type { Redis } from 'ioredis';
import { checkDurability, connectRedis } from '@ssb/redis';

/** Nothing that speaks Redis's protocol, and lets us in, answers at an address. */
export class UnreachableRedisError extends Error {
  override readonly name = 'UnreachableRedisError';

  constructor(
    readonly address: string,
    readonly reason: string,
  ) {
    super(`The Redis at ${address} cannot be used: ${reason}. Start it there, or give another REDIS_URL.`);
  }
}

const REACH_TIMEOUT_MS = 5_000;

/**
 * Makes sure that a Redis answers.
 * @returns what could make it lose jobs, one sentence each
 * @throws UnreachableRedisError when it does not answer within five seconds
 * @throws UnsafeRedisError in production, when there is a danger
 */
export async function reachRedis(
  url: string,
  { production, timeoutMs = REACH_TIMEOUT_MS }: { readonly production: boolean; readonly timeoutMs?: number },
): Promise<string[]> {
  let reason = `no answer within ${timeoutMs / 1000} s`;
  const redis = connectRedis(url, {
    name: 'durability-check',
    // A name with several addresses fails with an error that has a code and no message.
    onError: (error) => (reason = error.message || String((error as NodeJS.ErrnoException).code)),
  });
  try {
    if (!(await isReady(redis, timeoutMs))) throw new UnreachableRedisError(withoutCredentials(url), reason);
    return await checkDurability(redis, { production, confirms: true });
  } finally {
    redis.disconnect();
  }
}

function isReady(redis: Redis, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs);
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** The address without user and password, fit to be shown. */
export function withoutCredentials(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//…@');
}
