import type { RoleState } from '@ssb/bus';
import { expiredClaim, isDue, type RoleRecord } from '../../roles/role-state.js';
import type { Keys } from './redis-keys.js';
import { encodeChange } from './change-notifications.js';
import { LuaScript, type RedisEngine } from './redis-engine.js';

/**
 * KEYS: roles of one identity, all identities with roles, open claims by when they were asked for. ARGV: role, record ('' = none any more),
 * record as it was read ('' = none), topic, notice, address, open claim, when it was asked for ('' = not open), most open claims, most
 * roles of one identity. Returns 1 when stored, 0 when somebody was quicker, -1 or -2 when there are too many of one, or of all.
 */
const STORE = new LuaScript(`
local current = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if current ~= ARGV[3] then return 0 end
if ARGV[8] == '' then
  redis.call('ZREM', KEYS[3], ARGV[7])
else
  if not redis.call('ZSCORE', KEYS[3], ARGV[7]) then
    if current == '' and redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[10]) then return -1 end
    if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[9]) then return -2 end
  end
  redis.call('ZADD', KEYS[3], ARGV[8], ARGV[7])
end
if ARGV[2] == '' then redis.call('HDEL', KEYS[1], ARGV[1]) else redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end
if redis.call('EXISTS', KEYS[1]) == 1 then
  redis.call('ZADD', KEYS[2], 0, ARGV[6])
else
  redis.call('ZREM', KEYS[2], ARGV[6])
end
redis.call('PUBLISH', ARGV[4], ARGV[5])
return 1
`);

/** Due claims that one call removes, so that none takes long. */
const MOST_EXPIRED = 100;

/** There is no room for one more claim. */
export class TooManyClaimsError extends Error {
  override readonly name = 'TooManyClaimsError';

  constructor(readonly whose: 'identity' | 'everybody') {
    super(`too many claims of ${whose}`);
  }
}

/** What an undecided claim has to keep to; decisions are bound by nothing, as an issuer's word stands behind each. */
export interface ClaimBounds {
  /** Undecided claims of everybody. */
  readonly mostOpen: number;
  /** Roles of one identity. */
  readonly mostOfOne: number;
}

const UNBOUND: ClaimBounds = { mostOpen: Number.MAX_SAFE_INTEGER, mostOfOne: Number.MAX_SAFE_INTEGER };

export interface RolePage {
  readonly records: readonly RoleRecord[];
  /** The address to go on after; undefined on the last page. */
  readonly next: string | undefined;
}

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

  /**
   * The claims of some identities, in the order of their addresses.
   * @param identities how many are looked at; with a state, there may be fewer claims than that, and none
   */
  async page(state: RoleState | undefined, identities: number, after: string | undefined): Promise<RolePage> {
    const from = after === undefined ? '-' : `(${after}`;
    const addresses = await this.engine.run((redis) =>
      redis.zrange(this.keys.roleHolders, from, '+', 'BYLEX', 'LIMIT', 0, identities + 1),
    );
    const seen = addresses.slice(0, identities);
    const records = (await Promise.all(seen.map((address) => this.of(address)))).flat();
    return {
      records: records.filter((record) => state === undefined || record.state === state),
      next: addresses.length > identities ? seen.at(-1) : undefined,
    };
  }

  /** Ends claims that nobody decided on, some at a time. @returns how many */
  async expire(now: Date, lifeMs: number): Promise<number> {
    const until = String(now.getTime() - lifeMs);
    const due = await this.engine.run((redis) =>
      redis.zrange(this.keys.openClaims, '-inf', until, 'BYSCORE', 'LIMIT', 0, MOST_EXPIRED),
    );
    for (const claim of due) {
      const [address = '', role = ''] = claim.split(' ');
      // It may have been asked for again, or decided, in the meantime.
      await this.change(address, role, (before) =>
        before && isDue(before, now, lifeMs) ? expiredClaim(before, now) : before,
      );
    }
    return due.length;
  }

  /**
   * Replaces a record by what `change` makes of it: the same object means that nothing is written, undefined that the record goes.
   * `change` is called again when another one replaced the record meanwhile.
   * @returns the record as it now stands
   * @throws TooManyClaimsError when it would be one more claim than the bounds allow
   */
  async change(
    address: string,
    role: string,
    change: (record: RoleRecord | undefined) => RoleRecord | undefined,
    bounds: ClaimBounds = UNBOUND,
  ): Promise<RoleRecord | undefined> {
    const { keys } = this;
    const names = [keys.roles(address), keys.roleHolders, keys.openClaims];
    for (;;) {
      const text = await this.engine.run((redis) => redis.hget(keys.roles(address), role));
      const before = text === null ? undefined : (JSON.parse(text) as RoleRecord);
      const after = change(before);
      if (after === before) return after;
      const args = [
        ...[role, after === undefined ? '' : JSON.stringify(after), text ?? ''],
        ...[keys.changed, encodeChange({ kind: 'role', address }), address],
        ...[`${address} ${role}`, openSince(after), bounds.mostOpen, bounds.mostOfOne],
      ];
      const stored = await this.engine.script(STORE, names, args);
      if (stored === -1) throw new TooManyClaimsError('identity');
      if (stored === -2) throw new TooManyClaimsError('everybody');
      if (stored === 1) return after;
    }
  }
}

/** Epoch milliseconds at which an undecided claim was last asked for; '' for anything else. */
function openSince(record: RoleRecord | undefined): number | '' {
  return record?.state === 'AWAITING_APPROVAL' ? Date.parse(record.askedAt ?? record.since) : '';
}
