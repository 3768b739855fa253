import { setTimeout as pause } from 'node:timers/promises';
import { jetstreamManager, PubHeaders, type JetStreamManager } from '@nats-io/jetstream';
import { errors, headers, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '@ssb/platform';
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
import { AppendNotifications, FULL_CHECK_INTERVAL_MS } from './append-notifications.js';
import { ChannelStreams, type ChannelStream, type StreamOptions } from './channel-streams.js';
import { hasCode, STREAM_NOT_FOUND } from './jetstream-api.js';
import { encodeMessage, parseOffset, toOffset } from './message-encoding.js';
import { hasNoResponders, NatsEngine } from './nats-engine.js';
import { NatsNames, toChannelKey } from './nats-names.js';
import { NatsRequests, parseAppendReply } from './nats-requests.js';
import { ReaderOffsets } from './reader-offsets.js';
import { StoredMessages, type ReadRange } from './stored-messages.js';

const NANOS_PER_MS = 1_000_000n;
const RETRY_DELAY_MS = 25;

/** A read without a response is retried after this time, for example while a cluster elects a leader. */
const MAX_READ_TIMEOUT_MS = 1_000;

const EMPTY_PAGE: LogPage = { entries: [], more: false };

export interface NatsLogOptions extends StreamOptions {
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly now: () => Date;
}

/**
 * The log on NATS JetStream: one file stream for each channel. An offset is a sequence number.
 * An append survives a crash of the server. Without replicas, a power loss can lose one `sync_interval` (default two minutes).
 */
export class NatsMessageLog implements LogEngine {
  readonly name = 'log on NATS';
  private readonly names: NatsNames;
  private readonly requests: NatsRequests;
  private readonly streams: ChannelStreams;
  private readonly stored: StoredMessages;
  private readonly offsets: ReaderOffsets;
  private readonly notifications: AppendNotifications;
  private isProbeStreamKnown = false;

  private constructor(
    private readonly engine: NatsEngine,
    private readonly manager: JetStreamManager,
    private readonly options: NatsLogOptions,
  ) {
    const { prefix, timeoutMs, replicas } = options;
    const { connection } = engine;
    this.names = new NatsNames(prefix);
    this.requests = new NatsRequests(connection, timeoutMs);
    this.streams = new ChannelStreams(manager, this.names, options);
    const reads = new NatsRequests(connection, Math.min(timeoutMs, MAX_READ_TIMEOUT_MS));
    this.stored = new StoredMessages(manager, reads, this.names, replicas > 1);
    this.offsets = new ReaderOffsets(this.requests, this.streams, this.stored, this.names);
    const checkIntervalMs = replicas > 1 ? FULL_CHECK_INTERVAL_MS : undefined;
    this.notifications = new AppendNotifications(engine, this.names, checkIntervalMs);
    engine.onReconnected(() => this.streams.evictAll());
  }

  /** Uses an open connection, and closes it in `close`. Resolves once notifications are subscribed. */
  static async open(
    connection: NatsConnection,
    options: NatsLogOptions,
    log: Logger,
  ): Promise<NatsMessageLog> {
    const engine = new NatsEngine(connection, options.timeoutMs, log);
    const timeout = Math.min(options.timeoutMs, MAX_READ_TIMEOUT_MS);
    const manager = await jetstreamManager(connection, { timeout, checkAPI: false });
    const opened = new NatsMessageLog(engine, manager, options);
    await opened.notifications.start();
    return opened;
  }

  async ping(): Promise<void> {
    await this.engine.run(() => this.manager.getAccountInfo());
  }

  /** Stores an empty message, because a server without JetStream or free space accepts all other requests. */
  checkWrite(): Promise<void> {
    return this.engine.run(async () => {
      if (!this.isProbeStreamKnown) await this.streams.ensureWriteProbeStream();
      // After a failed write the stream is ensured again, because it may be lost with the server's data.
      this.isProbeStreamKnown = false;
      parseAppendReply(await this.requests.request(this.names.writeProbeSubject, ''));
      this.isProbeStreamKnown = true;
    });
  }

  async close(): Promise<void> {
    this.notifications.stop();
    await this.engine.close();
  }

  /**
   * One connection keeps the order of the messages.
   * They are retried only when none was stored, because a single one would be stored after its successors.
   */
  async appendAll(channel: LogChannel, messages: readonly NewMessage[]): Promise<readonly AppendOutcome[]> {
    try {
      const outcomes = await this.retryOnMissingStream(channel, async () => {
        const stream = await this.streams.ensureLogStream(channel);
        const published = await Promise.allSettled(
          messages.map((message) => this.publish(channel, stream, message)),
        );
        const [first] = published;
        if (first?.status === 'rejected' && published.every(wasNotTaken)) throw first.reason;
        return published;
      });
      return outcomes.map((outcome) =>
        outcome.status === 'fulfilled'
          ? outcome
          : { status: 'rejected', reason: this.engine.toUnavailable(outcome.reason) },
      );
    } catch (reason) {
      return messages.map(() => ({ status: 'rejected', reason }));
    }
  }

  readAfter(channel: LogChannel, offset: Offset | undefined, limits: PageLimits): Promise<LogPage> {
    return this.retryOnMissingStream(channel, async () => {
      const stream = await this.streams.findLogStream(channel);
      if (!stream) return EMPTY_PAGE;
      const last = offset === undefined ? undefined : parseOffset(offset);
      // An offset in a removed stream does not apply to this stream.
      if (offset === undefined || last?.createdAt !== stream.createdAt) {
        return this.stored.readPage(this.toRange(channel, stream, 1), limits);
      }
      const page = await this.stored.readPage(this.toRange(channel, stream, last.sequence + 1), limits);
      const lastMissed = await this.findLastMissed(channel, last.sequence, page);
      if (lastMissed <= last.sequence) return page;
      return { ...page, gap: { after: offset, upTo: toOffset({ ...stream, sequence: lastMissed }) } };
    });
  }

  readFrom(channel: LogChannel, instant: Date, limits: PageLimits): Promise<LogPage> {
    return this.retryOnMissingStream(channel, async () => {
      const stream = await this.streams.findLogStream(channel);
      if (!stream) return EMPTY_PAGE;
      const instantNanos = BigInt(instant.getTime()) * NANOS_PER_MS;
      const from = await this.stored.findSequenceSince(channel, stream, instantNanos);
      if (from === undefined) return EMPTY_PAGE;
      const range = this.toRange(channel, stream, from);
      const oldestNanos = range.oldestNanos > instantNanos ? range.oldestNanos : instantNanos;
      return this.stored.readPage({ ...range, oldestNanos }, limits);
    });
  }

  /** Creates the stream of an empty log, because an offset belongs to one stream. */
  getEnd(channel: LogChannel): Promise<Offset> {
    return this.retryOnMissingStream(channel, async () => {
      const stream = await this.streams.ensureLogStream(channel);
      return toOffset({ ...stream, sequence: await this.streams.getLastSequence(channel) });
    });
  }

  getOffset(channel: LogChannel, reader: Reader): Promise<Offset | undefined> {
    return this.retryOnMissingStream(channel, () => this.offsets.get(channel, reader));
  }

  moveOffset(channel: LogChannel, reader: Reader, offset: Offset): Promise<void> {
    return this.retryOnMissingStream(channel, () => this.offsets.move(channel, reader, offset));
  }

  drop(channel: LogChannel): Promise<void> {
    return this.engine.run(() => this.streams.remove(channel));
  }

  onAppended(listener: AppendListener): () => void {
    return this.notifications.onAppended(listener);
  }

  /**
   * Retries within the engine's timeout when a cached stream is gone, or the cluster is not ready for it.
   * An append without a reply is not retried, because it may be stored.
   */
  private retryOnMissingStream<T>(channel: LogChannel, work: () => Promise<T>): Promise<T> {
    const { engine, streams } = this;
    return engine.run(async () => {
      const deadline = performance.now() + engine.timeoutMs;
      for (;;) {
        try {
          return await work();
        } catch (error) {
          const isTemporary = hasNoResponders(error) || error instanceof errors.TimeoutError;
          const isGone = hasCode(error, STREAM_NOT_FOUND);
          if (!(isTemporary || isGone) || performance.now() > deadline) throw error;
        }
        streams.evict(channel);
        await pause(RETRY_DELAY_MS);
      }
    });
  }

  private async publish(channel: LogChannel, stream: ChannelStream, message: NewMessage): Promise<Appended> {
    const { requests, names, notifications } = this;
    const subject = names.messageSubject(channel);
    let reply: Msg;
    try {
      reply = await requests.request(subject, encodeMessage(message), this.toHeaders(message));
    } catch (error) {
      // Not a TimeoutError, which would be retried.
      throw error instanceof errors.TimeoutError ? this.engine.toUnavailable(error) : error;
    }
    const { seq, duplicate } = parseAppendReply(reply);
    // A sender often repeats a message whose first reply was lost. Its notification may be lost too.
    if (duplicate) notifications.publishAppended(toChannelKey(channel));
    return { offset: toOffset({ ...stream, sequence: seq }), repeated: duplicate };
  }

  /** JetStream stores one message for each id within the stream's duplicate window. */
  private toHeaders({ sender, correlationId }: NewMessage): MsgHdrs | undefined {
    if (correlationId === undefined) return undefined;
    const result = headers();
    result.set(PubHeaders.MsgIdHdr, this.names.duplicateId(sender, correlationId));
    return result;
  }

  /** The last sequence number that was removed between `after` and the page; `after` itself when none was. */
  private async findLastMissed(
    channel: LogChannel,
    after: number,
    { entries: [first] }: LogPage,
  ): Promise<number> {
    if (first) return parseOffset(first.offset).sequence - 1;
    // The usual case, in which the reader has seen the newest message, needs no request.
    if (this.notifications.getNewestSequence(toChannelKey(channel)) === after) return after;
    return (await this.streams.getLastRemoved(channel)) ?? after;
  }

  private toRange(channel: LogChannel, stream: ChannelStream, from: number): ReadRange {
    const oldestMs = Math.max(0, this.options.now().getTime() - channel.retentionMs);
    const newest = this.notifications.getNewestSequence(toChannelKey(channel));
    return { channel, stream, from, oldestNanos: BigInt(oldestMs) * NANOS_PER_MS, newest };
  }
}

/** No server received the message, so it is not stored. */
function wasNotTaken(outcome: PromiseSettledResult<Appended>): boolean {
  return outcome.status === 'rejected' && hasNoResponders(outcome.reason);
}
