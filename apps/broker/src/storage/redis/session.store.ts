import { encodeChange } from './change-notifications.js';
import { LuaScript, type RedisEngine } from './redis-engine.js';
import type { RedisKeys } from './redis-keys.js';

/** KEYS: session. ARGV: id, lifetime ms. Takes a free session, renews the holder's. Returns 1 when the id holds the session. */
const CONFIRM = new LuaScript(`
local holder = redis.call('GET', KEYS[1])
if not holder then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
if holder ~= ARGV[1] then return 0 end
-- Not SET, which a full Redis refuses.
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

/** KEYS: session. ARGV: id. */
const RELEASE = new LuaScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

const LIFETIME_MS = 6 * 3_600_000;

const RENEWALS_PER_LIFETIME = 6;

/**
 * Stores which subscription, at any broker, holds the session of an identity and client id: the newest one.
 * The sessions of a crashed broker expire.
 */
export class SessionStore {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: RedisKeys,
    /** Lifetime of a session that is not confirmed, milliseconds. */
    private readonly lifetimeMs = LIFETIME_MS,
  ) {}

  /** How often a holder confirms its session, milliseconds. */
  get renewalIntervalMs(): number {
    return this.lifetimeMs / RENEWALS_PER_LIFETIME;
  }

  /** Makes `id` the holder and notifies every broker, so that the former holder ends. @throws EngineUnavailableError */
  async take(session: string, id: string): Promise<void> {
    await this.engine.run(async (redis) => {
      await redis.set(this.keys.session(session), id, 'PX', this.lifetimeMs);
      await redis.publish(this.keys.changed, encodeChange({ kind: 'session', session }));
    });
  }

  /** Takes an expired session again. @returns whether `id` holds the session @throws EngineUnavailableError */
  async confirm(session: string, id: string): Promise<boolean> {
    const key = this.keys.session(session);
    return (await this.engine.runScript(CONFIRM, [key], [id, this.lifetimeMs])) === 1;
  }

  /** Does nothing when a newer subscription holds the session. @throws EngineUnavailableError */
  async release(session: string, id: string): Promise<void> {
    await this.engine.runScript(RELEASE, [this.keys.session(session)], [id]);
  }
}
