import { DirectMsgHeaders, JetStreamError, type JetStreamManager } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { LogChannel, LogEntry, LogPage, PageLimits } from '../message-log.js';
import { readAhead } from '../read-ahead.js';
import type { ChannelStream } from './channel-streams.js';
import { decodeMessage, parseTimestampNanos, toOffset } from './message-encoding.js';
import type { NatsNames } from './nats-names.js';
import type { NatsRequests } from './nats-requests.js';

export interface StoredMessage {
  readonly sequence: number;
  readonly timestampNanos: bigint;
  readonly data: Uint8Array;
}

/** The message with this sequence number, the first on the subject from this number on, or the subject's last. */
export type MessageQuery =
  | { readonly seq: number }
  | { readonly seq: number; readonly next_by_subj: string }
  | { readonly last_by_subj: string };

export interface ReadRange {
  readonly channel: LogChannel;
  readonly stream: ChannelStream;
  /** First sequence number to read. */
  readonly from: number;
  /** Older messages are hidden. */
  readonly oldestNanos: bigint;
  /** Newest sequence number known from notifications. */
  readonly newest: number | undefined;
}

/** Messages with consecutive sequence numbers. */
interface Chunk {
  readonly messages: readonly StoredMessage[];
  /** Whether the stream has no more messages. */
  readonly isLast: boolean;
}

/** Status of a direct get's reply without a message (NATS ADR-31). */
const NOT_FOUND = 404;

/** Reads messages of a stream without a consumer, so that no state remains in the server. */
export class StoredMessages {
  constructor(
    private readonly manager: JetStreamManager,
    private readonly requests: NatsRequests,
    private readonly names: NatsNames,
    /** Whether to read only from the leader of a stream; otherwise any server with the stream responds. */
    private readonly leaderOnly: boolean,
  ) {}

  /** Undefined when there is no such message. */
  get(stream: string, query: MessageQuery): Promise<StoredMessage | undefined> {
    return this.leaderOnly ? this.getFromLeader(stream, query) : this.getDirect(stream, query);
  }

  /**
   * Reads a range by sequence number, several messages at once.
   * Each request is "this number or the next existing one", because retention may remove messages during the read.
   */
  async readPage(range: ReadRange, limits: PageLimits): Promise<LogPage> {
    const { createdAt } = range.stream;
    const { maxMessageBytes } = range.channel;
    const entries: LogEntry[] = [];
    let bytes = 0;
    let largest: number | undefined;
    for (let from = range.from; ;) {
      const ahead = readAhead(largest, limits.maxBytes - bytes, maxMessageBytes);
      // One more than fits, to detect further messages.
      const count = Math.min(ahead, countUpTo(range.newest, from), limits.maxEntries - entries.length + 1);
      const { messages, isLast } = await this.readChunk(range, from, count);
      for (const { sequence, timestampNanos, data } of messages) {
        from = sequence + 1;
        largest = Math.max(largest ?? 1, data.length);
        if (timestampNanos < range.oldestNanos) continue;
        if (entries.length >= limits.maxEntries) return { entries, more: true };
        const message = decodeMessage(data);
        bytes += Buffer.byteLength(message.payload);
        if (entries.length > 0 && bytes > limits.maxBytes) return { entries, more: true };
        entries.push({ ...message, offset: toOffset({ createdAt, sequence }), timestampNanos });
      }
      if (isLast) return { entries, more: false };
    }
  }

  /** A sequence number before which no message was stored at or after the instant; undefined when the log is empty. */
  async findSequenceSince(
    channel: LogChannel,
    stream: ChannelStream,
    instantNanos: bigint,
  ): Promise<number | undefined> {
    const subject = this.names.messageSubject(channel);
    const [first, last] = await Promise.all([
      this.get(stream.name, { seq: 1, next_by_subj: subject }),
      this.get(stream.name, { last_by_subj: subject }),
    ]);
    if (!first || !last) return undefined;
    const ends = { first: first.sequence, last: last.sequence };
    return findFirstSince(instantNanos, ends, (sequence) => this.get(stream.name, { seq: sequence }));
  }

  private async readChunk({ channel, stream }: ReadRange, from: number, count: number): Promise<Chunk> {
    const subject = this.names.messageSubject(channel);
    const found = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        this.get(stream.name, { seq: from + index, next_by_subj: subject }),
      ),
    );
    const messages: StoredMessage[] = [];
    for (const message of found) {
      if (message === undefined) return { messages, isLast: true };
      const last = messages.at(-1);
      // Where sequence numbers are missing, several requests return the same message.
      if (last !== undefined && message.sequence <= last.sequence) continue;
      if (last !== undefined && message.sequence !== last.sequence + 1) break;
      messages.push(message);
    }
    return { messages, isLast: false };
  }

  private async getFromLeader(stream: string, query: MessageQuery): Promise<StoredMessage | undefined> {
    const found = await this.manager.streams.getMessage(stream, query);
    if (found === null) return undefined;
    return { sequence: found.seq, timestampNanos: parseTimestampNanos(found.timestamp), data: found.data };
  }

  /** Faster than the client library's call. A page needs many. */
  private async getDirect(stream: string, query: MessageQuery): Promise<StoredMessage | undefined> {
    const subject = `$JS.API.DIRECT.GET.${stream}`;
    return parseDirectReply(await this.requests.request(subject, JSON.stringify(query)));
  }
}

function parseDirectReply({ headers, data }: Msg): StoredMessage | undefined {
  if (headers?.code === NOT_FOUND) return undefined;
  if (headers === undefined || headers.code !== 0) {
    throw new JetStreamError(`a direct get returned ${headers?.code} ${headers?.description}`);
  }
  const sequence = Number(headers.last(DirectMsgHeaders.Sequence));
  const timestampNanos = parseTimestampNanos(headers.last(DirectMsgHeaders.TimeStamp));
  return { sequence, timestampNanos, data };
}

/** All known messages and one more, which shows that the stream ends there. */
function countUpTo(newest: number | undefined, from: number): number {
  return newest === undefined ? Number.POSITIVE_INFINITY : Math.max(2, newest - from + 2);
}

/** Maximum decrease of a stream's timestamps after a server's clock was set or the leader changed. */
export const MAX_CLOCK_STEP_BACK_NANOS = 1_000_000_000n;

/**
 * A sequence number before which no message was stored at or after an instant, by binary search.
 * Timestamps may decrease by `MAX_CLOCK_STEP_BACK_NANOS`, so the search is for an instant that much earlier.
 * @param get reads a message; undefined when retention removed it, so that the search continues after it
 * @returns one beyond `last` when every message is older
 */
export async function findFirstSince(
  instantNanos: bigint,
  { first, last }: { readonly first: number; readonly last: number },
  get: (sequence: number) => Promise<Pick<StoredMessage, 'timestampNanos'> | undefined>,
): Promise<number> {
  const earlier = instantNanos - MAX_CLOCK_STEP_BACK_NANOS;
  let low = first;
  let high = last + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const message = await get(middle);
    if (message !== undefined && message.timestampNanos >= earlier) high = middle;
    else low = middle + 1;
  }
  return low;
}
