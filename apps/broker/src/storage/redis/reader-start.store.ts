import type { Reader } from '../message-log.js';
import { LuaScript, type RedisEngine } from './redis-engine.js';
import type { RedisKeys } from './redis-keys.js';

/** Where a reader begins in a channel without a stored offset of it. */
export interface ReaderStart {
  /** Undefined: with the oldest message. */
  readonly since: Date | undefined;
  /** Whether the reader begins now, after the newest message of each channel. */
  readonly isAtEnd: boolean;
}

/** Maximum number of starts of one identity, so that client ids chosen at random do not fill Redis. */
export const MAX_STARTS = 1_000;

/** The identity has the maximum number of starts. */
export class TooManyStartsError extends Error {
  override readonly name = 'TooManyStartsError';
}

/**
 * KEYS: start, sorted set of the identity's starts by expiry. ARGV: epoch ms, `now` or empty for no start, lifetime ms, maximum number of
 * starts. Returns {start, 1 when it was stored by this call}; the start is false when there are too many.
 */
const BEGIN = new LuaScript(`
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local start = redis.call('GET', KEYS[1])
local isNew = 0
if not start then
  if ARGV[1] == '' then return {'0', 0} end
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%d', now))
  if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[3]) then return {false, 0} end
  start = ARGV[1]
  if start == 'now' then start = string.format('%d', now) end
  isNew = 1
end
redis.call('SET', KEYS[1], start, 'PX', ARGV[2])
redis.call('ZADD', KEYS[2], string.format('%d', now + ARGV[2]), KEYS[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
return {start, isNew}
`);

/** Stores where each reader that requested a start began, so that it loses nothing when it comes back. */
export class ReaderStartStore {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: RedisKeys,
    /** How long a start is kept after its last use, milliseconds. */
    private readonly lifetimeMs: number,
    private readonly maxStarts = MAX_STARTS,
  ) {}

  /** The stored start of the reader, or else the requested one, which is stored. @throws EngineUnavailableError, TooManyStartsError */
  begin(reader: Reader, from: 'now' | 'oldest' | Date): Promise<ReaderStart> {
    if (from instanceof Date) return this.run(reader, from.getTime());
    return this.run(reader, from === 'now' ? from : 0);
  }

  /** The stored start of the reader, or else the oldest message, which is not stored. @throws EngineUnavailableError */
  find(reader: Reader): Promise<ReaderStart> {
    return this.run(reader, '');
  }

  private async run({ address, clientId }: Reader, requested: number | 'now' | ''): Promise<ReaderStart> {
    const keys = [this.keys.readerStart(address, clientId), this.keys.readerStarts(address)];
    const reply = await this.engine.runScript(BEGIN, keys, [requested, this.lifetimeMs, this.maxStarts]);
    const [start, isNew] = reply as [string | null, number];
    if (start === null) throw new TooManyStartsError();
    return {
      since: start === '0' ? undefined : new Date(Number(start)),
      isAtEnd: isNew === 1 && requested === 'now',
    };
  }
}
