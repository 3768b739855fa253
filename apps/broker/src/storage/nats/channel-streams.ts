import { DiscardPolicy, JetStreamApiError, RetentionPolicy, StorageType } from '@nats-io/jetstream';
import type { JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import { LRUCache } from 'lru-cache';
import type { LogChannel } from '../message-log.js';
import { channelKey, type ChannelKey, type NamedChannel, type NatsNames } from './nats-names.js';

type Configuration = Partial<StreamConfig> & { name: string };

export interface StreamOptions {
  readonly replicas: number;
  readonly duplicateWindowMs: number;
  /** How long a position is kept beyond the retention of its channel. */
  readonly positionLifeMs: number;
}

/** A channel's stream as it was found or made. */
export interface KnownStream {
  readonly name: string;
  /** When it was made, milliseconds of the epoch. */
  readonly made: number;
}

/** What is known of a stream, from the moment on that it is asked for: many callers make it once. */
interface Held {
  /** What it was made or adapted for; undefined when a reader found it, for its limits may be of other settings. */
  readonly retentionMs: number | undefined;
  readonly stream: Promise<KnownStream>;
}

type Kind = 'log' | 'positions';
type StreamKey = `${Kind} ${ChannelKey}`;

/** Error codes of JetStream's API. */
const NAME_IN_USE = 10058;
export const STREAM_NOT_FOUND = 10059;
const SUBJECTS_OVERLAP = 10065;

/** JetStream takes no shorter age, nor a shorter duplicate window. */
const SHORTEST_MS = 100;
const NANOS_PER_MS = 1_000_000;

/** Streams that are remembered, two of each channel; one that is forgotten is looked up again. */
const MAX_KNOWN = 20_000;

/**
 * The streams of the channels: one for messages, one for positions, made when first written to. What is known of one is forgotten when
 * nobody answers for it, and of all of them when the connection was lost.
 */
export class ChannelStreams {
  private readonly known = new LRUCache<StreamKey, Held>({ max: MAX_KNOWN });

  constructor(
    private readonly manager: JetStreamManager,
    private readonly names: NatsNames,
    private readonly options: StreamOptions,
  ) {}

  /** The channel's log, made or adapted to its retention when need be. */
  log(channel: LogChannel): Promise<KnownStream> {
    return this.ensure('log', channel, () => this.logConfiguration(channel));
  }

  /** The channel's log if it is there; a reader makes none. */
  async existingLog(channel: LogChannel): Promise<KnownStream | undefined> {
    const key = keyOf('log', channel);
    const held = this.known.get(key);
    if (held) return held.stream;
    const found = await this.find(this.names.log(channel));
    if (found === undefined) return undefined;
    const stream = described(found);
    this.known.set(key, { retentionMs: undefined, stream: Promise.resolve(stream) });
    return stream;
  }

  positionsOf(channel: LogChannel): Promise<KnownStream> {
    return this.ensure('positions', channel, () => this.positionsConfiguration(channel));
  }

  /** The number of the last message that retention has taken; undefined without a stream. */
  async lastTaken(channel: LogChannel): Promise<number | undefined> {
    const found = await this.find(this.names.log(channel));
    // The first that is there, or the one that comes next when none is.
    return found && found.state.first_seq - 1;
  }

  /** Of the channel, and of former ones of its name that an append under way began anew. */
  async remove(channel: LogChannel): Promise<void> {
    for (const each of [channel, ...(await this.former(channel))]) {
      this.forget(each);
      for (const name of [this.names.log(each), this.names.positions(each)]) await this.delete(name);
    }
  }

  /** @param channel undefined: all of them */
  forget(channel: NamedChannel | undefined): void {
    if (channel === undefined) this.known.clear();
    else for (const kind of ['log', 'positions'] as const) this.known.delete(keyOf(kind, channel));
  }

  /** A stream that keeps one message. */
  async makeSignsOfLife(): Promise<void> {
    const name = this.names.signsOfLife;
    await makeStream(this.manager, {
      ...this.limits(),
      name,
      subjects: [this.names.signOfLife],
      max_msgs: 1,
    });
  }

  private async ensure(
    kind: Kind,
    channel: LogChannel,
    configuration: () => Configuration,
  ): Promise<KnownStream> {
    const key = keyOf(kind, channel);
    const { retentionMs } = channel;
    const held = this.known.get(key);
    if (held?.retentionMs === retentionMs) return held.stream;
    const fresh = {
      retentionMs,
      stream: makeStream(this.manager, configuration()).then(described),
    };
    this.known.set(key, fresh);
    try {
      return await fresh.stream;
    } catch (error) {
      if (this.known.get(key) === fresh) this.known.delete(key);
      throw error;
    }
  }

  private async former({ fqcn, made }: LogChannel): Promise<NamedChannel[]> {
    const found: NamedChannel[] = [];
    for await (const { config } of this.manager.streams.list(this.names.messagesOfName(fqcn))) {
      const [channel] = config.subjects.map((subject) => this.names.channelOf(subject));
      if (channel?.fqcn === fqcn && channel.made < made) found.push(channel);
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

  private async find(name: string): Promise<StreamInfo | undefined> {
    try {
      return await this.manager.streams.info(name);
    } catch (error) {
      if (hasCode(error, STREAM_NOT_FOUND)) return undefined;
      throw error;
    }
  }

  private logConfiguration(channel: LogChannel) {
    const age = Math.max(SHORTEST_MS, channel.retentionMs);
    const subject = this.names.message(channel);
    return {
      ...this.common(age),
      name: this.names.log(channel),
      subjects: [subject],
      duplicate_window: Math.min(age, this.options.duplicateWindowMs) * NANOS_PER_MS,
      // Told by the stream itself, once it has stored: nobody is woken for nothing, and nothing is stored without a wake-up.
      republish: { src: subject, dest: this.names.appended(channelKey(channel)), headers_only: true },
    };
  }

  private positionsConfiguration(channel: LogChannel) {
    const age = Math.max(SHORTEST_MS, channel.retentionMs + this.options.positionLifeMs);
    return {
      ...this.common(age),
      name: this.names.positions(channel),
      subjects: [this.names.allPositions(channel)],
      max_msgs_per_subject: 1,
      duplicate_window: SHORTEST_MS * NANOS_PER_MS,
    };
  }

  private common(ageMs: number) {
    return {
      ...this.limits(),
      max_age: ageMs * NANOS_PER_MS,
      // Any replica may answer a direct read, also one that lags behind; so with several the leader is asked.
      allow_direct: this.options.replicas === 1,
    };
  }

  private limits() {
    return {
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      num_replicas: this.options.replicas,
    };
  }
}

function keyOf(kind: Kind, channel: NamedChannel): StreamKey {
  return `${kind} ${channelKey(channel)}`;
}

function described({ config, created }: StreamInfo): KnownStream {
  return { name: config.name, made: Date.parse(created) };
}

/** Makes a stream. The same by two brokers at once is harmless. One that is there with other limits is changed. */
async function makeStream(manager: JetStreamManager, configuration: Configuration): Promise<StreamInfo> {
  try {
    return await addOrUpdate(manager, configuration);
  } catch (error) {
    // Of two brokers at the same instant the server can answer one so, while it makes the stream for the other.
    if (!hasCode(error, SUBJECTS_OVERLAP)) throw error;
    return addOrUpdate(manager, configuration);
  }
}

async function addOrUpdate(manager: JetStreamManager, configuration: Configuration): Promise<StreamInfo> {
  try {
    return await manager.streams.add(configuration);
  } catch (error) {
    if (!hasCode(error, NAME_IN_USE)) throw error;
    return manager.streams.update(configuration.name, configuration);
  }
}

export function hasCode(error: unknown, code: number): boolean {
  return error instanceof JetStreamApiError && error.code === code;
}
