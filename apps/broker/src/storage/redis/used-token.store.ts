import type { RedisEngine } from './redis-engine.js';
import type { RedisKeys } from './redis-keys.js';

/** Maximum difference between the clocks of two brokers. */
const CLOCK_SKEW_MS = 60_000;

/** Stores the ids of single-use tokens until they expire, for all brokers. */
export class UsedTokenStore {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: RedisKeys,
    private readonly now: () => Date = () => new Date(),
  ) {}

  /**
   * @param purpose separates the ids of different kinds of tokens
   * @param expiresAt when the token expires
   * @returns false when the id was used before
   */
  async markUsed(purpose: string, id: string, expiresAt: Date): Promise<boolean> {
    const key = this.keys.usedToken(purpose, id);
    // A duration, not an instant, because the clock of Redis may differ.
    const lifetimeMs = Math.max(0, expiresAt.getTime() - this.now().getTime()) + CLOCK_SKEW_MS;
    const stored = await this.engine.run((redis) => redis.set(key, '1', 'PX', lifetimeMs, 'NX'));
    return stored === 'OK';
  }
}
