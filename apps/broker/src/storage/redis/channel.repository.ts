import { randomUUID } from 'node:crypto';
import type { Channel } from '../../channels/channel.js';
import type { Fqcn } from '../../channels/names.js';
import type { Keys } from './redis-keys.js';
import { encodeChange } from './change-notifications.js';
import { LuaScript, type RedisEngine } from './redis-engine.js';

/** KEYS: records, versions. ARGV: fqcn, record, version, expected version ('' = must not exist), topic, notice. Returns 1 when stored. */
const STORE = new LuaScript(`
local current = redis.call('HGET', KEYS[2], ARGV[1]) or ''
if current ~= ARGV[4] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('PUBLISH', ARGV[5], ARGV[6])
return 1
`);

/** KEYS: records, versions. ARGV: fqcn, topic, notice. */
const REMOVE = new LuaScript(`
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1
`);

interface Held {
  readonly version: string;
  readonly channel: Channel;
}

/**
 * The channels. Every look-up asks Redis for the version (a few bytes) and fetches the record, which carries schemas, only when it changed:
 * never stale, and cheap.
 */
export class ChannelRegister {
  private readonly held = new Map<string, Held>();
  private readonly hashes: readonly string[];

  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: Keys,
  ) {
    this.hashes = [keys.channels, keys.channelVersions];
  }

  async find(fqcn: string): Promise<Channel | undefined> {
    const version = await this.engine.run((redis) => redis.hget(this.keys.channelVersions, fqcn));
    return (await this.load(fqcn, version ?? undefined))?.channel;
  }

  async all(): Promise<Channel[]> {
    const versions = await this.engine.run((redis) => redis.hgetall(this.keys.channelVersions));
    for (const known of this.held.keys()) if (!(known in versions)) this.held.delete(known);
    const held = await Promise.all(
      Object.entries(versions).map(([fqcn, version]) => this.load(fqcn, version)),
    );
    return held.flatMap((each) => (each ? [each.channel] : []));
  }

  /** False when the channel exists already. */
  create(channel: Channel): Promise<boolean> {
    return this.store(channel, '');
  }

  /**
   * Replaces a channel by what `change` makes of it; when somebody else replaced it meanwhile, `change` is asked again.
   * Undefined when there is no such channel.
   */
  async change(fqcn: Fqcn, change: (channel: Channel) => Channel): Promise<Channel | undefined> {
    for (;;) {
      const version = await this.engine.run((redis) => redis.hget(this.keys.channelVersions, fqcn));
      const held = await this.load(fqcn, version ?? undefined);
      if (!held) return undefined;
      const changed = change(held.channel);
      if (await this.store(changed, held.version)) return changed;
    }
  }

  async remove(fqcn: Fqcn): Promise<void> {
    await this.engine.script(REMOVE, this.hashes, [
      fqcn,
      this.keys.changed,
      encodeChange({ kind: 'channel', fqcn }),
    ]);
    this.held.delete(fqcn);
  }

  private async load(fqcn: string, version: string | undefined): Promise<Held | undefined> {
    if (version === undefined) {
      this.held.delete(fqcn);
      return undefined;
    }
    const known = this.held.get(fqcn);
    if (known?.version === version) return known;
    // The version first: should the channel change in between, the record is newer than its version and is fetched again next time.
    const [current, record] = await this.engine.run((redis) =>
      Promise.all([redis.hget(this.keys.channelVersions, fqcn), redis.hget(this.keys.channels, fqcn)]),
    );
    if (record === null || current === null) return undefined;
    const held = { version: current, channel: JSON.parse(record) as Channel };
    this.held.set(fqcn, held);
    return held;
  }

  private async store(channel: Channel, expected: string): Promise<boolean> {
    const { fqcn } = channel;
    const notice = encodeChange({ kind: 'channel', fqcn });
    const args = [fqcn, JSON.stringify(channel), randomUUID(), expected, this.keys.changed, notice];
    return (await this.engine.script(STORE, this.hashes, args)) === 1;
  }
}
