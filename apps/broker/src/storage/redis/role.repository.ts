import type { RoleState } from '@ssb/bus';
import { expireClaim, isClaimDue, type RoleRecord } from '../../roles/role-state.js';
import { encodeChange } from './change-notifications.js';
import { LuaScript, type RedisEngine } from './redis-engine.js';
import type { RedisKeys } from './redis-keys.js';

/**
 * Stores or removes a record unless it was changed concurrently.
 *
 * - KEYS: roles of the identity, addresses with roles, open claims by request time
 * - ARGV 1 to 6: role, new record ('' = remove), expected record ('' = none), pub/sub topic, notification, address
 * - ARGV 7 to 10: claim, its request time ('' = not open), maximum of open claims, maximum of roles of an identity
 * - Returns 1 when stored, 0 after a concurrent change, -1 for too many claims of the identity, -2 for too many in total
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

/** Maximum number of claims that one call expires, so that no call takes long. */
const MAX_EXPIRED_AT_ONCE = 100;

export class TooManyClaimsError extends Error {
  override readonly name = 'TooManyClaimsError';

  constructor(
    /** The limit that is reached: that of this identity, or that of all identities. */
    readonly scope: 'identity' | 'all',
  ) {
    super(`too many claims (${scope})`);
  }
}

/** Limits of undecided claims. Decisions have no limit, because an issuer signs each. */
export interface ClaimLimits {
  /** Undecided claims of all identities together. */
  readonly maxOpen: number;
  readonly maxPerIdentity: number;
}

const UNLIMITED: ClaimLimits = {
  maxOpen: Number.MAX_SAFE_INTEGER,
  maxPerIdentity: Number.MAX_SAFE_INTEGER,
};

export interface RolePage {
  readonly records: readonly RoleRecord[];
  /** The next page starts after this address; undefined on the last page. */
  readonly next: string | undefined;
}

/** Stores claims and roles. Nothing is cached, so that a revocation takes effect at the next read. */
export class RoleRepository {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: RedisKeys,
  ) {}

  async findByAddress(address: string): Promise<RoleRecord[]> {
    const records = await this.engine.run((redis) => redis.hgetall(this.keys.roles(address)));
    return Object.values(records).map((text) => JSON.parse(text) as RoleRecord);
  }

  async findApprovedRoles(address: string): Promise<ReadonlySet<string>> {
    const records = await this.findByAddress(address);
    return new Set(records.filter(({ state }) => state === 'APPROVED').map(({ role }) => role));
  }

  /**
   * The claims of some identities, in the order of their addresses.
   * @param identities how many identities the page covers; filtered by state, it can have fewer claims or none
   */
  async findPage(
    state: RoleState | undefined,
    identities: number,
    after: string | undefined,
  ): Promise<RolePage> {
    const from = after === undefined ? '-' : `(${after}`;
    const addresses = await this.engine.run((redis) =>
      redis.zrange(this.keys.roleHolders, from, '+', 'BYLEX', 'LIMIT', 0, identities + 1),
    );
    const covered = addresses.slice(0, identities);
    const records = (await Promise.all(covered.map((address) => this.findByAddress(address)))).flat();
    return {
      records: records.filter((record) => state === undefined || record.state === state),
      next: addresses.length > identities ? covered.at(-1) : undefined,
    };
  }

  /** Ends some of the claims that were not decided in time. @returns how many were due */
  async expireClaims(now: Date, lifetimeMs: number): Promise<number> {
    const until = String(now.getTime() - lifetimeMs);
    const due = await this.engine.run((redis) =>
      redis.zrange(this.keys.openClaims, '-inf', until, 'BYSCORE', 'LIMIT', 0, MAX_EXPIRED_AT_ONCE),
    );
    for (const claim of due) {
      const [address = '', role = ''] = claim.split(' ');
      // The claim may have been repeated or decided concurrently.
      await this.change(address, role, (record) =>
        record && isClaimDue(record, now, lifetimeMs) ? expireClaim(record, now) : record,
      );
    }
    return due.length;
  }

  /**
   * Replaces a record by the result of `change`, which runs again after a concurrent change.
   * The same object writes nothing; undefined removes the record.
   * @returns the stored record
   * @throws TooManyClaimsError when a new claim exceeds the limits
   */
  async change(
    address: string,
    role: string,
    change: (record: RoleRecord | undefined) => RoleRecord | undefined,
    limits: ClaimLimits = UNLIMITED,
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
        ...[`${address} ${role}`, openSince(after), limits.maxOpen, limits.maxPerIdentity],
      ];
      const result = await this.engine.runScript(STORE, names, args);
      if (result === -1) throw new TooManyClaimsError('identity');
      if (result === -2) throw new TooManyClaimsError('all');
      if (result === 1) return after;
    }
  }
}

/** Epoch milliseconds of the last request of an undecided claim; '' for any other record. */
function openSince(record: RoleRecord | undefined): number | '' {
  return record?.state === 'AWAITING_APPROVAL' ? Date.parse(record.requestedAt ?? record.since) : '';
}
