import { readAhead } from '../domain/read-ahead.js';
import type { Batch, LogChannel, LogEntry, Page } from '../ports/message-log.js';
import type { KnownStream } from './channel-streams.js';
import { fromBody } from './message-body.js';
import type { NatsNames } from './names.js';
import { toPosition } from './place.js';
import type { StoredMessage, StoredMessages } from './stored-messages.js';

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

/**
 * Reads a span of a stream by number, some messages at once. Each is asked for as "this number or the next one that is there": numbers are
 * missing only where retention takes them, at the front, and it may do so while we read.
 */
export class PageReader {
  constructor(
    private readonly stored: StoredMessages,
    private readonly names: NatsNames,
  ) {}

  async read(span: Span, page: Page): Promise<Batch> {
    const { made } = span.stream;
    const entries: LogEntry[] = [];
    const { largestMessage } = span.channel;
    let bytes = 0;
    let largest: number | undefined;
    for (let from = span.from; ;) {
      const ahead = readAhead({ largest, room: page.bytes - bytes }, largestMessage);
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
        this.stored.get(stream.name, { seq: from + index, next_by_subj: subject }),
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
}

/** As many as the log is known to have, and one behind them, which tells that it ends. */
function upToTail(from: number, tail: number | undefined): number {
  return tail === undefined ? Number.POSITIVE_INFINITY : Math.max(2, tail - from + 2);
}
