import {
  DiscardPolicy,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream';
import { LRUCache } from 'lru-cache';
import type { LogChannel } from '../message-log.js';
import {
  createOrUpdateStream,
  hasCode,
  STREAM_NOT_FOUND,
  type StreamConfiguration,
} from './jetstream-api.js';
import { toChannelKey, type ChannelIdentity, type ChannelKey, type NatsNames } from './nats-names.js';

export interface StreamOptions {
  readonly replicas: number;
  readonly duplicateWindowMs: number;
  /** How long an offset is kept beyond the retention of its channel. */
  readonly offsetLifetimeMs: number;
}

export interface ChannelStream {
  readonly name: string;
  /** When JetStream created the stream, epoch milliseconds. Not the channel's `createdAt`. */
  readonly createdAt: number;
}

/** Holds a promise, so that concurrent callers share one creation. */
interface CachedStream {
  /** The retention that this process configured; undefined when it only found the stream. */
  readonly retentionMs: number | undefined;
  readonly stream: Promise<ChannelStream>;
}

type StreamKind = 'log' | 'offsets';
type CacheKey = `${StreamKind} ${ChannelKey}`;

/** Minimum that JetStream accepts for `max_age` and `duplicate_window`. */
const MIN_AGE_MS = 100;
const NANOS_PER_MS = 1_000_000;

/** Enough for 10,000 channels, each with two streams. */
const MAX_CACHED_STREAMS = 20_000;

/**
 * The JetStream streams of the channels. Each channel has one for messages and one for offsets, created at the first write.
 */
export class ChannelStreams {
  private readonly cached = new LRUCache<CacheKey, CachedStream>({ max: MAX_CACHED_STREAMS });

  constructor(
    private readonly manager: JetStreamManager,
    private readonly names: NatsNames,
    private readonly options: StreamOptions,
  ) {}

  /** Creates the channel's log stream, or updates its retention. */
  ensureLogStream(channel: LogChannel): Promise<ChannelStream> {
    return this.findCached('log', channel) ?? this.create('log', channel, this.logConfiguration(channel));
  }

  /** Creates the channel's offset stream, or updates its retention. */
  ensureOffsetStream(channel: LogChannel): Promise<ChannelStream> {
    return (
      this.findCached('offsets', channel) ??
      this.create('offsets', channel, this.offsetConfiguration(channel))
    );
  }

  /** The channel's log stream; undefined when it does not exist. */
  async findLogStream(channel: LogChannel): Promise<ChannelStream | undefined> {
    const key = toCacheKey('log', channel);
    const cached = this.cached.get(key);
    if (cached) return cached.stream;
    const found = await this.findInfo(this.names.logStream(channel));
    if (found === undefined) return undefined;
    const stream = toChannelStream(found);
    this.cached.set(key, { retentionMs: undefined, stream: Promise.resolve(stream) });
    return stream;
  }

  /** Sequence number of the last message that retention removed; undefined without a stream. */
  async getLastRemoved(channel: LogChannel): Promise<number | undefined> {
    const found = await this.findInfo(this.names.logStream(channel));
    // In an empty stream, `first_seq` is the number of the next message.
    return found && found.state.first_seq - 1;
  }

  /** Sequence number of the newest message, even if it was removed; 0 before the first. @throws without a stream */
  async getLastSequence(channel: LogChannel): Promise<number> {
    return (await this.manager.streams.info(this.names.logStream(channel))).state.last_seq;
  }

  /** Removes the channel's streams, and those of former channels with this name. A late append can recreate a removed stream. */
  async remove(channel: LogChannel): Promise<void> {
    for (const each of [channel, ...(await this.findFormerChannels(channel))]) {
      this.evict(each);
      for (const name of [this.names.logStream(each), this.names.offsetStream(each)]) {
        await this.delete(name);
      }
    }
  }

  /** Called when a cached stream does not respond. */
  evict(channel: ChannelIdentity): void {
    for (const kind of ['log', 'offsets'] as const) this.cached.delete(toCacheKey(kind, channel));
  }

  /** Called after a reconnection. */
  evictAll(): void {
    this.cached.clear();
  }

  /** Creates the stream for write probes, which keeps one message. */
  async ensureWriteProbeStream(): Promise<void> {
    await createOrUpdateStream(this.manager, {
      ...this.baseConfiguration(),
      name: this.names.writeProbeStream,
      subjects: [this.names.writeProbeSubject],
      max_msgs: 1,
    });
  }

  /** Undefined unless the cached stream has the channel's retention. */
  private findCached(kind: StreamKind, channel: LogChannel): Promise<ChannelStream> | undefined {
    const cached = this.cached.get(toCacheKey(kind, channel));
    return cached?.retentionMs === channel.retentionMs ? cached.stream : undefined;
  }

  private async create(
    kind: StreamKind,
    channel: LogChannel,
    configuration: StreamConfiguration,
  ): Promise<ChannelStream> {
    const key = toCacheKey(kind, channel);
    const created = {
      retentionMs: channel.retentionMs,
      stream: createOrUpdateStream(this.manager, configuration).then(toChannelStream),
    };
    this.cached.set(key, created);
    try {
      return await created.stream;
    } catch (error) {
      if (this.cached.get(key) === created) this.cached.delete(key);
      throw error;
    }
  }

  private async findFormerChannels({ fqcn, createdAt }: LogChannel): Promise<ChannelIdentity[]> {
    const found: ChannelIdentity[] = [];
    for await (const { config } of this.manager.streams.list(this.names.messageSubjectsOfName(fqcn))) {
      const [channel] = config.subjects.map((subject) => this.names.parseMessageSubject(subject));
      if (channel?.fqcn === fqcn && channel.createdAt < createdAt) found.push(channel);
    }
    return found;
  }

  private async delete(name: string): Promise<void> {
    try {
      await this.manager.streams.delete(name);
    } catch (error) {
      if (!hasCode(error, STREAM_NOT_FOUND)) throw error;
    }
  }

  private async findInfo(name: string): Promise<StreamInfo | undefined> {
    try {
      return await this.manager.streams.info(name);
    } catch (error) {
      if (hasCode(error, STREAM_NOT_FOUND)) return undefined;
      throw error;
    }
  }

  private logConfiguration(channel: LogChannel): StreamConfiguration {
    const ageMs = Math.max(MIN_AGE_MS, channel.retentionMs);
    const subject = this.names.messageSubject(channel);
    return {
      ...this.channelConfiguration(ageMs),
      name: this.names.logStream(channel),
      subjects: [subject],
      duplicate_window: Math.min(ageMs, this.options.duplicateWindowMs) * NANOS_PER_MS,
      // JetStream publishes the notification when it stores the message, so neither happens without the other.
      republish: {
        src: subject,
        dest: this.names.appendedSubject(toChannelKey(channel)),
        headers_only: true,
      },
    };
  }

  private offsetConfiguration(channel: LogChannel): StreamConfiguration {
    const ageMs = Math.max(MIN_AGE_MS, channel.retentionMs + this.options.offsetLifetimeMs);
    return {
      ...this.channelConfiguration(ageMs),
      name: this.names.offsetStream(channel),
      subjects: [this.names.allOffsetSubjects(channel)],
      max_msgs_per_subject: 1,
      duplicate_window: MIN_AGE_MS * NANOS_PER_MS,
    };
  }

  private channelConfiguration(ageMs: number) {
    return {
      ...this.baseConfiguration(),
      max_age: ageMs * NANOS_PER_MS,
      // A lagging replica may serve a direct get, so direct gets are disabled when there are several replicas.
      allow_direct: this.options.replicas === 1,
    };
  }

  private baseConfiguration() {
    return {
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      num_replicas: this.options.replicas,
    };
  }
}

function toCacheKey(kind: StreamKind, channel: ChannelIdentity): CacheKey {
  return `${kind} ${toChannelKey(channel)}`;
}

function toChannelStream({ config, created }: StreamInfo): ChannelStream {
  return { name: config.name, createdAt: Date.parse(created) };
}
