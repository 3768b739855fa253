import {
  readAuthenticatedText,
  toAuthenticatedText,
  type Authentication,
  type ContentAuthenticator,
} from '@ssb/keys';
import type { RedisConnection } from './servers.js';

/**
 * Why a value was discarded. `unusable`: authentic, but not in the expected form. `rolled-back`: replaced by an earlier value. A key that is
 * not a hash is `malformed`.
 */
export type DiscardReason =
  | Extract<Authentication, { ok: false }>['reason']
  | 'unusable'
  | 'rolled-back'
  | 'too-large';

export interface DiscardedValue {
  /** Empty when the whole key was discarded. */
  readonly field: string;
  readonly reason: DiscardReason;
}

/** A value with a valid HMAC. */
export interface VerifiedValue {
  readonly content: string;
  /** The text in Redis after `apply`. */
  readonly text: string;
}

/** A value of a field as it was read, and the one that replaces it; an empty one deletes the field. */
export type HashChange = readonly [field: Buffer, expected: Buffer, replacement: string];

/** A write counts only while the key holds the token. */
export interface Fence {
  readonly key: string;
  readonly token: string;
}

export interface HashLimits {
  readonly maxFields: number;
  /** Limit of all names and values that one reading returns. */
  readonly maxBytes: number;
}

/** Well above any legitimate size: by default the poller keeps 510 days, 10,200 fields at 20 publications a day. */
const LIMITS: HashLimits = { maxFields: 100_000, maxBytes: 64 * 1024 * 1024 };

/** Maximum number of changes applied after one reading. The next reading applies the rest. */
const MAX_CHANGES = 5_000;

/**
 * Reads fields, or all. A key that is not a hash, or is too large, is deleted. KEYS: hash, or hash and fence.
 * @param ARGV token, maximum number of fields, maximum number of bytes, then fields; none means all
 * @returns values, or fields and values of all; otherwise why the key was deleted, or `fenced-off` when the fence holds another token
 */
const READ = `
local function discard(reason)
  if KEYS[2] and redis.call('GET', KEYS[2]) ~= ARGV[1] then return 'fenced-off' end
  redis.call('DEL', KEYS[1])
  return reason
end
local size = redis.pcall('HLEN', KEYS[1])
if type(size) == 'table' then
  if string.find(size.err, 'WRONGTYPE', 1, true) then return discard('malformed') end
  return size
end
if size > tonumber(ARGV[2]) then return discard('too-large') end
local values
if #ARGV > 3 then values = redis.call('HMGET', KEYS[1], unpack(ARGV, 4))
else values = redis.call('HGETALL', KEYS[1]) end
local bytes = 0
for _, value in ipairs(values) do
  if value then bytes = bytes + #value end
end
if bytes > tonumber(ARGV[3]) then return discard('too-large') end
return values`;

/**
 * Replaces values that have not changed since they were read. KEYS: hash, or hash and fence.
 * @param ARGV token, then field, expected value and replacement of each change
 * @returns 1 or 0
 */
const REPLACE = `
if KEYS[2] and redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
for i = 2, #ARGV, 3 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
    if ARGV[i + 2] == '' then redis.call('HDEL', KEYS[1], ARGV[i])
    else redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 2]) end
  end
end
return 1`;

/** What one reading of a hash found: verified values, discarded ones, and the changes that both need in Redis. */
export class HashReading {
  readonly values = new Map<string, VerifiedValue>();
  readonly discarded: DiscardedValue[] = [];
  readonly changes: HashChange[] = [];
  /** The fence holds another token, so the key was not deleted. */
  isFencedOff = false;

  /** Discards a verified value. */
  discard(field: string, reason: DiscardReason): void {
    const text = this.values.get(field)?.text;
    if (text === undefined) return;
    this.values.delete(field);
    this.add({ field, reason }, [Buffer.from(field), Buffer.from(text), '']);
  }

  add(discarded: DiscardedValue, change: HashChange): void {
    this.discarded.push(discarded);
    this.changes.push(change);
  }
}

/**
 * A Redis hash whose values carry a message authentication code: `<code> <content>`. The code covers the key of the hash and the field, so
 * a value that was copied from elsewhere is discarded. A reading deletes a key that is not a hash or is too large.
 */
export class AuthenticatedHash {
  constructor(
    private readonly redis: RedisConnection,
    readonly key: string,
    private readonly authenticator: ContentAuthenticator,
    private readonly limits = LIMITS,
  ) {}

  /** The text to store for a content. */
  toText(field: string, content: string): string {
    return toAuthenticatedText(this.authenticator, this.contextOf(field), content);
  }

  /** Reads fields. The caller applies the changes of the reading. */
  async read(fields: readonly string[], fence?: Fence): Promise<HashReading> {
    const reading = new HashReading();
    const texts = await this.fetch(reading, fields, fence);
    for (const [index, field] of fields.entries()) {
      const text = texts[index] ?? null;
      if (text !== null) await this.verify(reading, Buffer.from(field), text);
    }
    return reading;
  }

  /** Reads all fields except the given ones. The caller applies the changes of the reading. */
  async readAll(except: readonly string[] = [], fence?: Fence): Promise<HashReading> {
    const reading = new HashReading();
    const flat = await this.fetch(reading, [], fence);
    for (let index = 0; index + 1 < flat.length; index += 2) {
      const [field, text] = [flat[index] as Buffer, flat[index + 1] as Buffer];
      if (!except.includes(field.toString('utf8'))) await this.verify(reading, field, text);
    }
    return reading;
  }

  /**
   * Deletes discarded values, and rewrites values that have an outdated code with the active key.
   * @returns false when the fence holds another token; nothing was written
   */
  async apply({ changes, isFencedOff }: HashReading, fence?: Fence): Promise<boolean> {
    if (isFencedOff) return false;
    if (changes.length === 0) return true;
    const keys = this.keysWith(fence);
    const args = [fence?.token ?? '', ...changes.slice(0, MAX_CHANGES).flat()];
    return (await this.redis.eval(REPLACE, keys.length, ...keys, ...args)) === 1;
  }

  /**
   * Reads bytes, because a forged name or value that is not UTF-8 must be deleted too. Returns nothing when the key was deleted or the fence
   * holds another token.
   */
  private async fetch(
    reading: HashReading,
    fields: readonly string[],
    fence: Fence | undefined,
  ): Promise<readonly (Buffer | null)[]> {
    const keys = this.keysWith(fence);
    const { maxFields, maxBytes } = this.limits;
    const args = [...keys, fence?.token ?? '', maxFields, maxBytes, ...fields];
    const reply = (await this.redis.callBuffer('EVAL', READ, keys.length, ...args)) as
      | readonly (Buffer | null)[]
      | Buffer;
    if (!Buffer.isBuffer(reply)) return reply;
    const problem = reply.toString() as 'malformed' | 'too-large' | 'fenced-off';
    if (problem === 'fenced-off') reading.isFencedOff = true;
    else reading.discarded.push({ field: '', reason: problem });
    return [];
  }

  private keysWith(fence: Fence | undefined): string[] {
    return fence === undefined ? [this.key] : [this.key, fence.key];
  }

  private async verify(reading: HashReading, fieldBytes: Buffer, textBytes: Buffer): Promise<void> {
    const [field, text] = [fieldBytes.toString('utf8'), textBytes.toString('utf8')];
    const verdict = await readAuthenticatedText(this.authenticator, this.contextOf(field), text);
    if (!verdict.ok) {
      reading.add({ field, reason: verdict.reason }, [fieldBytes, textBytes, '']);
      return;
    }
    const { content } = verdict;
    const current = verdict.outdated ? this.toText(field, content) : text;
    reading.values.set(field, { content, text: current });
    if (verdict.outdated) reading.changes.push([fieldBytes, textBytes, current]);
  }

  private contextOf(field: string): string {
    return JSON.stringify([this.key, field]);
  }
}
