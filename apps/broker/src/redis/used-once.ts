import type { Keys } from './keys.js';
import type { RedisEngine } from './redis-engine.js';

/** Remembers ids that may be used once, until they would have expired anyway; shared by every broker. */
export class UsedOnce {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: Keys,
  ) {}

  /**
   * Takes an id.
   * @param purpose keeps ids of different kinds apart
   * @param expiresAt when the thing that carries the id is refused by its age
   * @returns false when it had been taken before
   */
  async take(purpose: string, id: string, expiresAt: Date): Promise<boolean> {
    const key = this.keys.usedOnce(purpose, id);
    const taken = await this.engine.run((redis) => redis.set(key, '1', 'PXAT', expiresAt.getTime(), 'NX'));
    return taken === 'OK';
  }
}
