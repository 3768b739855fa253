import type { Keys } from './keys.js';
import { LuaScript } from './lua-script.js';
import { encodeChange } from './notices.js';
import type { RedisEngine } from './redis-engine.js';

/** KEYS: sessions. ARGV: session key, id. Returns 1 when the id holds the session, taking a vacant one. */
const CONFIRM = new LuaScript(`
local holder = redis.call('HGET', KEYS[1], ARGV[1])
if not holder then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  return 1
end
if holder == ARGV[2] then return 1 end
return 0
`);

/** KEYS: sessions. ARGV: session key, id. */
const RELEASE = new LuaScript(`
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then return redis.call('HDEL', KEYS[1], ARGV[1]) end
return 0
`);

/** Which subscription, at whichever broker, speaks for a (identity, client id): the newest. */
export class SessionRegister {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: Keys,
  ) {}

  /** Makes `id` the holder and tells every broker, so that the one before stops. */
  async take(session: string, id: string): Promise<void> {
    await this.engine.run(async (redis) => {
      await redis.hset(this.keys.sessions, session, id);
      await redis.publish(this.keys.changed, encodeChange({ kind: 'session', session }));
    });
  }

  /** Whether `id` still speaks for the session; a session that Redis forgot is taken again. */
  async confirm(session: string, id: string): Promise<boolean> {
    const held = await this.engine.run((redis) => CONFIRM.run(redis, [this.keys.sessions], [session, id]));
    return held === 1;
  }

  /** Gives it up, unless a newer one holds it. */
  async release(session: string, id: string): Promise<void> {
    await this.engine.run((redis) => RELEASE.run(redis, [this.keys.sessions], [session, id]));
  }
}
