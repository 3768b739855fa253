import { randomUUID } from 'node:crypto';
import { lowerCaseAddress } from '@ssb/identity';
import type {
  Appended,
  AppendListener,
  AppendOutcome,
  LogChannel,
  LogEngine,
  LogPage,
  NewMessage,
  PageLimits,
  Offset,
  Reader,
} from '../message-log.js';
import type { ChangeNotifications } from './change-notifications.js';
import { APPEND, MOVE_OFFSET, TRIM_LOG } from './log-scripts.js';
import type { RedisEngine } from './redis-engine.js';
import type { RedisKeys } from './redis-keys.js';
import { isAfter, toFields, toMilliseconds } from './stream-entry.js';
import { readStreamRange, type StreamRange } from './stream-range.js';

/** A channel's keys outlive its newest message by this time. Then Redis removes the log of an idle channel. */
const KEY_LIFETIME_MARGIN_MS = 3_600_000;

/**
 * How long a message without a correlation id is recognised, because ioredis repeats a command after a reconnection.
 * ioredis makes twenty attempts of five seconds, with two seconds in between.
 */
const RESEND_WINDOW_MS = 300_000;

/** As APPEND names the entry before the first one. */
const BEFORE_FIRST = '0-0' as Offset;

export interface RedisLogOptions {
  readonly duplicateWindowMs: number;
  /** How long an offset is kept beyond the retention of its channel. */
  readonly offsetLifetimeMs: number;
  readonly now: () => Date;
}

/**
 * The log on Redis Streams: one stream for each channel; an offset is a stream id.
 * With `appendfsync always` an append survives a crash of Redis; `everysec` can lose two seconds.
 */
export class RedisMessageLog implements LogEngine {
  readonly name = 'log on Redis';

  constructor(
    private readonly engine: RedisEngine,
    private readonly notifications: ChangeNotifications,
    private readonly keys: RedisKeys,
    private readonly options: RedisLogOptions,
  ) {}

  ping(): Promise<void> {
    return this.engine.ping();
  }

  checkWrite(): Promise<void> {
    return this.engine.checkWrite(this.keys.writeProbe);
  }

  /** The caller closes the connections. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  async appendAll(channel: LogChannel, messages: readonly NewMessage[]): Promise<readonly AppendOutcome[]> {
    try {
      const appended = await this.append(channel, messages);
      return appended.map((value) => ({ status: 'fulfilled', value }));
    } catch (reason) {
      // One atomic script appends all messages, so none is stored.
      return messages.map(() => ({ status: 'rejected', reason }));
    }
  }

  async readAfter(channel: LogChannel, offset: Offset | undefined, limits: PageLimits): Promise<LogPage> {
    const oldest = this.oldestMs(channel);
    if (offset === undefined) return (await this.readRange(channel, `${oldest}-0`, limits)).page;

    const isRetained = toMilliseconds(offset) >= oldest;
    // Read before the entries, so that a concurrent append is not taken for a removed entry.
    const newest = isRetained ? undefined : await this.getNewest(channel);
    const start = isRetained ? `(${offset}` : `${oldest}-0`;
    const { page, predecessor } = await this.readRange(channel, start, limits);
    const lastMissed = page.entries.length > 0 ? predecessor : newest;
    if (lastMissed === undefined || !isAfter(lastMissed, offset)) return page;
    return { ...page, gap: { after: offset, upTo: lastMissed } };
  }

  async readFrom(channel: LogChannel, instant: Date, limits: PageLimits): Promise<LogPage> {
    const start = Math.max(this.oldestMs(channel), instant.getTime());
    return (await this.readRange(channel, `${start}-0`, limits)).page;
  }

  async getEnd(channel: LogChannel): Promise<Offset> {
    return (await this.getNewest(channel)) ?? BEFORE_FIRST;
  }

  async getOffset(channel: LogChannel, reader: Reader): Promise<Offset | undefined> {
    const key = this.keys.offsets(channel);
    const stored = await this.engine.run((redis) => redis.hget(key, toReaderField(reader)));
    if (stored === null) return undefined;
    const [offset, expiry] = stored.split('|');
    return Number(expiry) > this.options.now().getTime() ? (offset as Offset) : undefined;
  }

  async moveOffset(channel: LogChannel, reader: Reader, offset: Offset): Promise<void> {
    const lifetime = channel.retentionMs + this.options.offsetLifetimeMs;
    const keys = [this.keys.offsets(channel)];
    await this.engine.runScript(MOVE_OFFSET, keys, [toReaderField(reader), offset, lifetime]);
  }

  /** Keys that a concurrent append creates again expire. */
  async drop(channel: LogChannel): Promise<void> {
    const { keys } = this;
    const names = [keys.log(channel), keys.newest(channel), keys.offsets(channel)];
    await this.engine.run((redis) => redis.del(names));
  }

  onAppended(listener: AppendListener): () => void {
    return this.notifications.onAppended(listener);
  }

  /**
   * One atomic script adds the messages whose `sent` key does not exist yet, trims the log and publishes the channel's name to all brokers,
   * whose ChangeNotifications call the listeners of `onAppended`.
   * @throws EngineUnavailableError
   */
  private async append(channel: LogChannel, messages: readonly NewMessage[]): Promise<Appended[]> {
    const { fqcn, retentionMs } = channel;
    const keys = [this.keys.log(channel), this.keys.newest(channel)];
    const lifetime = retentionMs + KEY_LIFETIME_MARGIN_MS;
    const newestLifetime = lifetime + this.options.offsetLifetimeMs;
    const args = [retentionMs, lifetime, newestLifetime, this.keys.appended, fqcn];
    for (const message of messages) {
      const { sender, correlationId } = message;
      const fields = toFields(message);
      if (correlationId === undefined) {
        keys.push(this.keys.sent(channel, '', randomUUID()));
        args.push(RESEND_WINDOW_MS, fields.length, ...fields);
      } else {
        keys.push(this.keys.sent(channel, lowerCaseAddress(sender), correlationId));
        args.push(this.options.duplicateWindowMs, fields.length, ...fields);
      }
    }
    const reply = await this.engine.run(async (redis) => {
      try {
        return await APPEND.run(redis, keys, args);
      } catch (error) {
        if (!isOutOfMemory(error)) throw error;
        await TRIM_LOG.run(redis, [this.keys.log(channel)], [retentionMs]);
        return APPEND.run(redis, keys, args);
      }
    });
    return (reply as [Offset, number][]).map(([offset, repeated]) => ({
      offset,
      repeated: repeated === 1,
    }));
  }

  /** @param start first id of the range; `(` before it excludes it */
  private readRange(channel: LogChannel, start: string, limits: PageLimits): Promise<StreamRange> {
    return readStreamRange(this.engine, this.keys.log(channel), start, limits, channel.maxMessageBytes);
  }

  private async getNewest(channel: LogChannel): Promise<Offset | undefined> {
    const id = await this.engine.run((redis) => redis.get(this.keys.newest(channel)));
    return (id ?? undefined) as Offset | undefined;
  }

  /** Epoch milliseconds of the oldest message within the retention. */
  private oldestMs({ retentionMs }: LogChannel): number {
    return Math.max(0, this.options.now().getTime() - retentionMs);
  }
}

/** Redis has reached its `maxmemory`, and nothing was written. Redis 6 puts the script's location before the code. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && /(?:^|-)OOM command not allowed/.test(error.message);
}

function toReaderField({ address, clientId }: Reader): string {
  return `${address}|${clientId}`;
}
