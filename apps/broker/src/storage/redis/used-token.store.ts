import type { Keys } from './redis-keys.js';
import type { RedisEngine } from './redis-engine.js';

/** Brokers' clocks may differ by so much. */
const CLOCKS_DIFFER_MS = 60_000;

/** Remembers ids that may be used once, until they would have expired anyway; shared by every broker. */
export class UsedOnce {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: Keys,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /**
   * Takes an id.
   * @param purpose keeps ids of different kinds apart
   * @param expiresAt when the thing that carries the id is refused by its age
   * @returns false when it had been taken before
   */
  async take(purpose: string, id: string, expiresAt: Date): Promise<boolean> {
    const key = this.keys.usedOnce(purpose, id);
    // For a while, not until a moment: the clock of Redis has no say in when a token ends.
    const life = Math.max(0, expiresAt.getTime() - this.now().getTime()) + CLOCKS_DIFFER_MS;
    const taken = await this.engine.run((redis) => redis.set(key, '1', 'PX', life, 'NX'));
    return taken === 'OK';
  }
}
