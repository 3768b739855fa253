import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/** A script that Redis runs as one step; sent by its digest, and in full when Redis does not know it (first time, or a restart). */
export class LuaScript {
  private readonly digest: string;

  constructor(private readonly source: string) {
    this.digest = createHash('sha1').update(source).digest('hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown> {
    try {
      return await redis.evalsha(this.digest, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return redis.eval(this.source, keys.length, ...keys, ...args);
    }
  }
}
