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

/** KEYS: start. ARGV: epoch ms or `now`, lifetime ms. Returns {start, 1 when it was stored by this call}. */
const BEGIN = new LuaScript(`
local start = redis.call('GET', KEYS[1])
if start then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {start, 0}
end
start = ARGV[1]
if start == 'now' then
  local time = redis.call('TIME')
  start = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
redis.call('SET', KEYS[1], start, 'PX', ARGV[2])
return {start, 1}
`);

/** Stores where each reader that requested a start began, so that it loses nothing when it comes back. */
export class ReaderStartStore {
  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: RedisKeys,
    /** How long a start is kept after its last use, milliseconds. */
    private readonly lifetimeMs: number,
  ) {}

  /**
   * The stored start of the reader, or else the requested one, which is stored.
   * @param from undefined: with the oldest message
   * @throws EngineUnavailableError
   */
  async begin({ address, clientId }: Reader, from: 'now' | Date | undefined): Promise<ReaderStart> {
    const key = this.keys.readerStart(JSON.stringify([address, clientId]));
    const requested = from === 'now' ? from : (from?.getTime() ?? 0);
    const reply = await this.engine.runScript(BEGIN, [key], [requested, this.lifetimeMs]);
    const [start, isNew] = reply as [string, number];
    return {
      since: start === '0' ? undefined : new Date(Number(start)),
      isAtEnd: isNew === 1 && from === 'now',
    };
  }
}
