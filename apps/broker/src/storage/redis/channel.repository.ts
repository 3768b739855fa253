import { randomUUID } from 'node:crypto';
import type { Channel } from '../../channels/channel.js';
import type { Fqcn } from '../../channels/names.js';
import { encodeChange } from './change-notifications.js';
import { LuaScript, type RedisEngine } from './redis-engine.js';
import type { RedisKeys } from './redis-keys.js';

/**
 * Stores a channel unless it was changed concurrently.
 *
 * - KEYS: records, versions
 * - ARGV: fqcn, record, version, expected version ('' = must not exist), pub/sub topic, notification
 * - Returns 1 when stored
 */
const STORE = new LuaScript(`
local current = redis.call('HGET', KEYS[2], ARGV[1]) or ''
if current ~= ARGV[4] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
redis.call('PUBLISH', ARGV[5], ARGV[6])
return 1
`);

/** KEYS: records, versions. ARGV: fqcn, pub/sub topic, notification. */
const REMOVE = new LuaScript(`
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('PUBLISH', ARGV[2], ARGV[3])
return 1
`);

interface VersionedChannel {
  readonly version: string;
  readonly channel: Channel;
}

/** Stores the channels. A read fetches the short version, and the large record only when the version changed. */
export class ChannelRepository {
  private readonly cached = new Map<string, VersionedChannel>();
  private readonly hashes: readonly string[];

  constructor(
    private readonly engine: RedisEngine,
    private readonly keys: RedisKeys,
  ) {
    this.hashes = [keys.channels, keys.channelVersions];
  }

  async find(fqcn: string): Promise<Channel | undefined> {
    return (await this.findVersioned(fqcn))?.channel;
  }

  async findAll(): Promise<Channel[]> {
    const versions = await this.engine.run((redis) => redis.hgetall(this.keys.channelVersions));
    for (const fqcn of this.cached.keys()) if (!(fqcn in versions)) this.cached.delete(fqcn);
    const found = await Promise.all(
      Object.entries(versions).map(([fqcn, version]) => this.load(fqcn, version)),
    );
    return found.flatMap((each) => (each ? [each.channel] : []));
  }

  /** @returns false when the channel already exists */
  create(channel: Channel): Promise<boolean> {
    return this.store(channel, '');
  }

  /**
   * Replaces a channel by the result of `change`, which runs again after a concurrent change.
   * @returns undefined when there is no such channel
   */
  async change(fqcn: Fqcn, change: (channel: Channel) => Channel): Promise<Channel | undefined> {
    for (;;) {
      const found = await this.findVersioned(fqcn);
      if (!found) return undefined;
      const changed = change(found.channel);
      if (await this.store(changed, found.version)) return changed;
    }
  }

  async remove(fqcn: Fqcn): Promise<void> {
    await this.engine.runScript(REMOVE, this.hashes, [
      fqcn,
      this.keys.changed,
      encodeChange({ kind: 'channel', fqcn }),
    ]);
    this.cached.delete(fqcn);
  }

  private async findVersioned(fqcn: string): Promise<VersionedChannel | undefined> {
    const version = await this.engine.run((redis) => redis.hget(this.keys.channelVersions, fqcn));
    return this.load(fqcn, version ?? undefined);
  }

  private async load(fqcn: string, version: string | undefined): Promise<VersionedChannel | undefined> {
    if (version === undefined) {
      this.cached.delete(fqcn);
      return undefined;
    }
    const cached = this.cached.get(fqcn);
    if (cached?.version === version) return cached;
    // Version before record: after a concurrent change the version is older than the record, so the next read fetches it again.
    const [current, record] = await this.engine.run((redis) =>
      Promise.all([redis.hget(this.keys.channelVersions, fqcn), redis.hget(this.keys.channels, fqcn)]),
    );
    if (record === null || current === null) return undefined;
    const loaded = { version: current, channel: JSON.parse(record) as Channel };
    this.cached.set(fqcn, loaded);
    return loaded;
  }

  private async store(channel: Channel, expectedVersion: string): Promise<boolean> {
    const { fqcn } = channel;
    const notification = encodeChange({ kind: 'channel', fqcn });
    const record = JSON.stringify(channel);
    const args = [fqcn, record, randomUUID(), expectedVersion, this.keys.changed, notification];
    return (await this.engine.runScript(STORE, this.hashes, args)) === 1;
  }
}
