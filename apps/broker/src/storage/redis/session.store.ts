import type { Keys } from './redis-keys.js';
import { encodeChange } from './change-notifications.js';
import { LuaScript, type RedisEngine } from './redis-engine.js';

/** KEYS: session. ARGV: id, life in ms. Returns 1 when the id holds the session, taking a vacant one; it then lives on. */
const CONFIRM = new LuaScript(`
local holder = redis.call('GET', KEYS[1])
if not holder then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 1
end
if holder ~= ARGV[1] then return 0 end
-- Not SET: this one is not refused when Redis is full.
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
`);

/** KEYS: session. ARGV: id. */
const RELEASE = new LuaScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

const LIFE_MS = 6 * 3_600_000;

/** A session is confirmed so many times in its life. */
const CONFIRMED_IN_LIFE = 6;

/**
 * Which subscription, at whichever broker, speaks for a (identity, client id): the newest. A broker that dies gives nothing up; what it
 * held lapses by itself.
 */
export class SessionRegister {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: Keys,
    /** How long a session lasts that nobody confirms, milliseconds. */
    private readonly lifeMs = LIFE_MS,
  ) {}

  /** How often a holder should confirm, milliseconds. */
  get renewEveryMs(): number {
    return this.lifeMs / CONFIRMED_IN_LIFE;
  }

  /** Makes `id` the holder and tells every broker, so that the one before stops. @throws EngineUnavailableError */
  async take(session: string, id: string): Promise<void> {
    await this.engine.run(async (redis) => {
      await redis.set(this.keys.session(session), id, 'PX', this.lifeMs);
      await redis.publish(this.keys.changed, encodeChange({ kind: 'session', session }));
    });
  }

  /** Whether `id` still speaks for the session; one that lapsed, or that Redis forgot, is taken again. @throws EngineUnavailableError */
  async confirm(session: string, id: string): Promise<boolean> {
    const key = this.keys.session(session);
    return (await this.engine.script(CONFIRM, [key], [id, this.lifeMs])) === 1;
  }

  /** Gives it up, unless a newer one holds it. @throws EngineUnavailableError */
  async release(session: string, id: string): Promise<void> {
    await this.engine.script(RELEASE, [this.keys.session(session)], [id]);
  }
}
