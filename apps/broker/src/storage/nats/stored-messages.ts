import { DirectMsgHeaders, JetStreamError, type JetStreamManager } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import { readAhead } from '../read-ahead.js';
import type { Batch, LogChannel, LogEntry, Page } from '../message-log.js';
import type { KnownStream } from './channel-streams.js';
import type { NatsNames } from './nats-names.js';
import type { Requests } from './nats-requests.js';
import { fromBody, nanosOfTimestamp, toPosition } from './message-encoding.js';

export interface StoredMessage {
  readonly sequence: number;
  readonly timestampNanos: bigint;
  readonly data: Uint8Array;
}

/** Which message of a stream: the one with this number, or the first on the subject from this number on, or the subject's last. */
export type Query =
  | { readonly seq: number }
  | { readonly seq: number; readonly next_by_subj: string }
  | { readonly last_by_subj: string };

export interface Span {
  readonly channel: LogChannel;
  readonly stream: KnownStream;
  /** Read from this number on. */
  readonly from: number;
  /** Older ones are hidden. */
  readonly oldestNanos: bigint;
  /** Number of the newest message that was heard of. */
  readonly tail: number | undefined;
}

/** Messages with adjacent numbers. */
interface Chunk {
  readonly messages: readonly StoredMessage[];
  /** Nothing was stored behind them. */
  readonly ended: boolean;
}

/** Status of an answer to a direct get (NATS ADR-31) when there is no such message. */
const NOT_FOUND = 404;

/** Reads single messages of a stream, without a consumer: nothing is made in the server and nothing is left behind. */
export class StoredMessages {
  constructor(
    private readonly manager: JetStreamManager,
    private readonly requests: Requests,
    private readonly names: NatsNames,
    /** Only the leader of a stream is asked; otherwise any server that holds it. */
    private readonly leaderOnly: boolean,
  ) {}

  /** Undefined when there is none (any more). */
  get(stream: string, query: Query): Promise<StoredMessage | undefined> {
    return this.leaderOnly ? this.askLeader(stream, query) : this.askAny(stream, query);
  }

  /**
   * Reads a span of a stream by number, some messages at once. Each is asked for as "this number or the next one that is there": numbers are
   * missing only where retention takes them, at the front, and it may do so while we read.
   */
  async page(span: Span, page: Page): Promise<Batch> {
    const { made } = span.stream;
    const entries: LogEntry[] = [];
    const { largestMessage } = span.channel;
    let bytes = 0;
    let largest: number | undefined;
    for (let from = span.from; ;) {
      const ahead = readAhead(largest, page.bytes - bytes, largestMessage);
      // One more than fits tells whether there is more.
      const count = Math.min(ahead, upToTail(from, span.tail), page.limit - entries.length + 1);
      const { messages, ended } = await this.chunk(span, from, count);
      for (const { sequence, timestampNanos, data } of messages) {
        from = sequence + 1;
        largest = Math.max(largest ?? 1, data.length);
        if (timestampNanos < span.oldestNanos) continue;
        if (entries.length >= page.limit) return { entries, more: true };
        const message = fromBody(data);
        bytes += Buffer.byteLength(message.payload);
        if (entries.length > 0 && bytes > page.bytes) return { entries, more: true };
        entries.push({ ...message, position: toPosition({ made, sequence }), timestampNanos });
      }
      if (ended) return { entries, more: false };
    }
  }

  private async chunk({ channel, stream }: Span, from: number, count: number): Promise<Chunk> {
    const subject = this.names.message(channel);
    const found = await Promise.all(
      Array.from({ length: count }, (_, index) =>
        this.get(stream.name, { seq: from + index, next_by_subj: subject }),
      ),
    );
    const messages: StoredMessage[] = [];
    for (const message of found) {
      if (message === undefined) return { messages, ended: true };
      const last = messages.at(-1);
      // The same one again where numbers are missing.
      if (last !== undefined && message.sequence <= last.sequence) continue;
      if (last !== undefined && message.sequence !== last.sequence + 1) break;
      messages.push(message);
    }
    return { messages, ended: false };
  }

  private async askLeader(stream: string, query: Query): Promise<StoredMessage | undefined> {
    const found = await this.manager.streams.getMessage(stream, query);
    if (found === null) return undefined;
    return { sequence: found.seq, timestampNanos: nanosOfTimestamp(found.timestamp), data: found.data };
  }

  /** A page is many of these, so they go by the quicker way. */
  private async askAny(stream: string, query: Query): Promise<StoredMessage | undefined> {
    return direct(await this.requests.ask(`$JS.API.DIRECT.GET.${stream}`, JSON.stringify(query)));
  }
}

function direct({ headers, data }: Msg): StoredMessage | undefined {
  if (headers?.code === NOT_FOUND) return undefined;
  if (headers === undefined || headers.code !== 0) {
    throw new JetStreamError(`a direct get was answered with ${headers?.code} ${headers?.description}`);
  }
  const sequence = Number(headers.last(DirectMsgHeaders.Sequence));
  const timestampNanos = nanosOfTimestamp(headers.last(DirectMsgHeaders.TimeStamp));
  return { sequence, timestampNanos, data };
}

/** As many as the log is known to have, and one behind them, which tells that it ends. */
function upToTail(from: number, tail: number | undefined): number {
  return tail === undefined ? Number.POSITIVE_INFINITY : Math.max(2, tail - from + 2);
}

/**
 * How far the clocks that a stream's timestamps come from may go back: a server's clock is set, or the stream gets another leader. A
 * message that was stored before such a step can be later by the clock than those behind it.
 */
export const LARGEST_STEP_BACK_NANOS = 1_000_000_000n;

/**
 * A number such that no message before it was stored at or after an instant, by halving. Timestamps rise with the numbers, but for steps
 * back of `LARGEST_STEP_BACK_NANOS` at most: so it is searched for an instant that much earlier, and messages from before the instant
 * may stand behind the number.
 * @param get the message with this number; undefined when retention has taken it meanwhile, so that the search goes on behind it
 * @returns one beyond `last` when every message is older
 */
export async function firstSince(
  instantNanos: bigint,
  { first, last }: { readonly first: number; readonly last: number },
  get: (sequence: number) => Promise<Pick<StoredMessage, 'timestampNanos'> | undefined>,
): Promise<number> {
  const earlier = instantNanos - LARGEST_STEP_BACK_NANOS;
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
