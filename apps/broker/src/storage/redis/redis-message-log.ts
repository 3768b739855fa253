import { randomUUID } from 'node:crypto';
import { identityOf } from '@ssb/identity';
import type { Fqcn } from '../../channels/names.js';
import { readAhead } from '../read-ahead.js';
import type {
  Appended,
  Batch,
  LogChannel,
  LogEntry,
  LogEngine,
  NewMessage,
  Page,
  Position,
  Reader,
} from '../message-log.js';
import type { Keys } from './redis-keys.js';
import { APPEND, MAKE_ROOM, MOVE_POSITION } from './log-scripts.js';
import type { Notices } from './change-notifications.js';
import type { RedisEngine } from './redis-engine.js';
import { isBehind, millisecondsOf, predecessorOf, toEntry, toFields } from './stream-entry.js';

/** A channel's keys outlive its youngest message by this much; then an idle channel's log goes by itself. */
const KEY_LIFE_MARGIN_MS = 3_600_000;

/**
 * How long a message without a correlation id is remembered: a command that ioredis repeats after a reconnection must not append twice. It
 * tries twenty connections, each for five seconds with two seconds in between, and then gives the command up.
 */
const RESEND_WINDOW_MS = 300_000;

export interface RedisLogOptions {
  readonly duplicateWindowMs: number;
  /** How long a position is kept beyond the retention of its channel. */
  readonly positionLifeMs: number;
  readonly now: () => Date;
}

interface ReadSpan {
  readonly batch: Batch;
  /** The entry that once stood before the first of these. */
  readonly before: Position | undefined;
}

/**
 * The log on Redis Streams: a stream a channel, the position of an entry being its stream id.
 * An append survives a crash of a Redis that writes to disk before it answers (`appendfsync always`); with `everysec` one may take the last
 * two seconds.
 */
export class RedisMessageLog implements LogEngine {
  readonly name = 'log on Redis';

  constructor(
    private readonly engine: RedisEngine,
    private readonly notices: Notices,
    private readonly keys: Keys,
    private readonly options: RedisLogOptions,
  ) {}

  ping(): Promise<void> {
    return this.engine.ping();
  }

  check(): Promise<void> {
    return this.engine.check(this.keys.signOfLife);
  }

  /** The connections are the caller's. */
  close(): Promise<void> {
    return Promise.resolve();
  }

  /** One script does it, so all of them are there or none is. */
  appendAll(
    channel: LogChannel,
    messages: readonly NewMessage[],
  ): Promise<readonly PromiseSettledResult<Appended>[]> {
    return this.appendTogether(channel, messages).then(
      (all) => all.map((value) => ({ status: 'fulfilled', value })),
      (reason: unknown) => messages.map(() => ({ status: 'rejected', reason })),
    );
  }

  async readAfter(channel: LogChannel, position: Position | undefined, page: Page): Promise<Batch> {
    const oldest = this.oldest(channel);
    if (position === undefined) return (await this.read(channel, `${oldest}-0`, page)).batch;
    const kept = millisecondsOf(position) >= oldest;
    // Before the entries: one that is appended in between must not be taken for gone.
    const newest = kept ? undefined : await this.newest(channel);
    const { batch, before } = await this.read(channel, kept ? `(${position}` : `${oldest}-0`, page);
    const upTo = batch.entries.length > 0 ? before : newest;
    return upTo !== undefined && isBehind(upTo, position)
      ? { ...batch, gap: { after: position, upTo } }
      : batch;
  }

  async readFrom(channel: LogChannel, instant: Date, page: Page): Promise<Batch> {
    const start = Math.max(this.oldest(channel), instant.getTime());
    return (await this.read(channel, `${start}-0`, page)).batch;
  }

  async position(channel: LogChannel, reader: Reader): Promise<Position | undefined> {
    const held = await this.engine.run((redis) => redis.hget(this.keys.positions(channel), fieldOf(reader)));
    if (held === null) return undefined;
    const [position, end] = held.split('|');
    return Number(end) > this.options.now().getTime() ? (position as Position) : undefined;
  }

  async movePosition(channel: LogChannel, reader: Reader, position: Position): Promise<void> {
    const life = channel.retentionMs + this.options.positionLifeMs;
    const keys = [this.keys.positions(channel)];
    await this.engine.script(MOVE_POSITION, keys, [fieldOf(reader), position, life]);
  }

  /** What an append under way begins anew goes by its own expiry. */
  async drop(channel: LogChannel): Promise<void> {
    const { keys } = this;
    const names = [keys.log(channel), keys.newest(channel), keys.positions(channel)];
    await this.engine.run((redis) => redis.del(names));
  }

  watch(wake: (fqcn: Fqcn | undefined) => void): () => void {
    return this.notices.onAppended(wake);
  }

  private async appendTogether(channel: LogChannel, messages: readonly NewMessage[]): Promise<Appended[]> {
    const { fqcn, retentionMs } = channel;
    const keys = [this.keys.log(channel), this.keys.newest(channel)];
    const life = retentionMs + KEY_LIFE_MARGIN_MS;
    const args = [retentionMs, life, life + this.options.positionLifeMs, this.keys.appended, fqcn];
    for (const message of messages) {
      const fields = toFields(message);
      keys.push(this.sentKey(channel, message));
      args.push(this.windowOf(message), fields.length, ...fields);
    }
    const reply = await this.engine.run(async (redis) => {
      try {
        return await APPEND.run(redis, keys, args);
      } catch (error) {
        if (!isFull(error)) throw error;
        await MAKE_ROOM.run(redis, [this.keys.log(channel)], [retentionMs]);
        return APPEND.run(redis, keys, args);
      }
    });
    return (reply as [Position, number][]).map(([position, repeated]) => ({
      position,
      repeated: repeated === 1,
    }));
  }

  private sentKey(channel: LogChannel, { sender, correlationId }: NewMessage): string {
    if (correlationId === undefined) return this.keys.sent(channel, '', randomUUID());
    return this.keys.sent(channel, identityOf(sender), correlationId);
  }

  private windowOf({ correlationId }: NewMessage): number {
    return correlationId === undefined ? RESEND_WINDOW_MS : this.options.duplicateWindowMs;
  }

  private async read(channel: LogChannel, start: string, page: Page): Promise<ReadSpan> {
    const entries: LogEntry[] = [];
    let before: Position | undefined;
    let from = start;
    let bytes = 0;
    let largest: number | undefined;
    for (;;) {
      const ahead = readAhead(largest, page.bytes - bytes, channel.largestMessage);
      // One more than fits tells whether there is more.
      const count = Math.min(ahead, page.limit - entries.length + 1);
      const chunk = await this.engine.run((redis) =>
        redis.xrange(this.keys.log(channel), from, '+', 'COUNT', count),
      );
      for (const raw of chunk) {
        if (entries.length >= page.limit) return { batch: { entries, more: true }, before };
        const entry = toEntry(raw);
        const size = Buffer.byteLength(entry.payload);
        bytes += size;
        if (entries.length > 0 && bytes > page.bytes) return { batch: { entries, more: true }, before };
        if (entries.length === 0) before = predecessorOf(raw);
        entries.push(entry);
        largest = Math.max(largest ?? 1, size);
        from = `(${entry.position}`;
      }
      if (chunk.length < count) return { batch: { entries, more: false }, before };
    }
  }

  private async newest(channel: LogChannel): Promise<Position | undefined> {
    const id = await this.engine.run((redis) => redis.get(this.keys.newest(channel)));
    return (id ?? undefined) as Position | undefined;
  }

  private oldest({ retentionMs }: LogChannel): number {
    return Math.max(0, this.options.now().getTime() - retentionMs);
  }
}

/** Redis has used its `maxmemory` up; nothing was written. Before Redis 7 the script's place in its text stands before it. */
function isFull(error: unknown): boolean {
  return error instanceof Error && /(?:^|-)OOM command not allowed/.test(error.message);
}

function fieldOf({ address, clientId }: Reader): string {
  return `${address}|${clientId}`;
}
