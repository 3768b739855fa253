import type { RoleState } from '@ssb/bus';
import type { RoleRecord } from '../domain/role-state.js';
import type { Keys } from './keys.js';
import { LuaScript } from './lua-script.js';
import { encodeChange } from './notices.js';
import type { RedisEngine } from './redis-engine.js';

/** KEYS: roles of one identity. ARGV: role, record, record as it was read ('' = none), topic, notice. Returns 1 when stored. */
const STORE = new LuaScript(`
local current = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if current ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1
`);

/** Claims and roles of every identity, asked afresh at each look-up: a revoked role is gone with the next one. */
export class RoleRegister {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: Keys,
  ) {}

  async of(address: string): Promise<RoleRecord[]> {
    const records = await this.engine.run((redis) => redis.hgetall(this.keys.roles(address)));
    return Object.values(records).map((text) => JSON.parse(text) as RoleRecord);
  }

  async approvedOf(address: string): Promise<ReadonlySet<string>> {
    const records = await this.of(address);
    return new Set(records.filter(({ state }) => state === 'APPROVED').map(({ role }) => role));
  }

  /** Every claim in a state, or in any. */
  async list(state: RoleState | undefined): Promise<RoleRecord[]> {
    const addresses = await this.engine.run((redis) => redis.smembers(this.keys.claimants));
    const records = await Promise.all(addresses.map((address) => this.of(address)));
    return records.flat().filter((record) => state === undefined || record.state === state);
  }

  /**
   * Replaces a record by what `change` makes of it (the same object: nothing is written); asked again when somebody else was quicker.
   * @returns the record as it now stands, or undefined when `change` refused
   */
  async change(
    address: string,
    role: string,
    change: (record: RoleRecord | undefined) => RoleRecord | undefined,
  ): Promise<RoleRecord | undefined> {
    const notice = encodeChange({ kind: 'role', address });
    for (;;) {
      const text = await this.engine.run((redis) => redis.hget(this.keys.roles(address), role));
      const before = text === null ? undefined : (JSON.parse(text) as RoleRecord);
      const after = change(before);
      if (after === undefined || after === before) return after;
      await this.engine.run((redis) => redis.sadd(this.keys.claimants, address));
      const args = [role, JSON.stringify(after), text ?? '', this.keys.changed, notice];
      const stored = await this.engine.run((redis) => STORE.run(redis, [this.keys.roles(address)], args));
      if (stored === 1) return after;
    }
  }
}
