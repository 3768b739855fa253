import type { Redis } from 'ioredis';
import { listMasters, type RedisConnection } from './servers.js';

/** Bytes. */
export interface RedisMemory {
  readonly used: number;
  /** `maxmemory`, else the memory of the machine; undefined when Redis shows neither. */
  readonly limit: number | undefined;
}

/**
 * The memory of the server, or of the fullest master of a cluster.
 * @returns undefined when the user may not call INFO, or Redis does not show its memory
 */
export async function readRedisMemory(redis: RedisConnection): Promise<RedisMemory | undefined> {
  const memories = await Promise.all((await listMasters(redis)).map(readMemory));
  const known = memories.filter((memory) => memory.used > 0);
  return known.sort((left, right) => shareUsed(right) - shareUsed(left))[0];
}

function shareUsed({ used, limit = Infinity }: RedisMemory): number {
  return used / limit;
}

/** Zero bytes are used when Redis does not show them. */
async function readMemory(redis: Redis): Promise<RedisMemory> {
  const info = await redis.info('memory').catch((error: unknown) => {
    if (error instanceof Error && /NOPERM|unknown command/i.test(error.message)) return '';
    throw error;
  });
  const read = (field: string): number => Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return { used: read('used_memory'), limit: read('maxmemory') || read('total_system_memory') || undefined };
}
