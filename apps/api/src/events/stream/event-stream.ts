import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Caller } from '../../access/caller.js';
import { isClosed, onceClosed } from '../../http/once-closed.js';
import type { EventFilter } from '../event-filter.js';
import type { EventQueries, StreamedRow } from '../event-queries.js';
import type { ArchiveTail } from './archive-tail.js';

/** Why a stream ends, as its last frame says. */
const REASONS = {
  expired: 'The credentials have expired. Connect again with new ones.',
  changed: 'The credentials were revoked or grant something else. Connect again.',
  'signed-out': 'The session has ended. Sign in again.',
  shutdown: 'The API shuts down. Connect again.',
  slow: 'The reader is too slow. Connect again; Last-Event-ID continues after the last event.',
  unavailable: 'The database does not respond. Connect again later.',
} as const;
export type StreamEnd = keyof typeof REASONS;

/** An event of the archive, or its beginning. */
export interface ArchivedPlace {
  readonly id: string;
  readonly offset: number;
}

const ALIVE_INTERVAL_MS = 15_000;
/** An event, because a script in a browser does not see comments. Its empty data say nothing to a reader that does not know it. */
const ALIVE = 'event: alive\ndata:\n\n';
/** How long a reader may leave the buffer of its connection full. */
const SLOW_READER_MS = 30_000;
/** Offsets that one statement reads. A filter may match few of many events. */
const MAX_OFFSETS = 50_000;
/** Time for the last frame to reach the reader. */
const END_MS = 5_000;

/** A response with archived events as Server-Sent Events. One page of events waits beyond the buffer of the connection. */
export class EventStream {
  private readonly ended = new AbortController();
  private reason: StreamEnd | undefined;

  constructor(
    private readonly response: ServerResponse,
    private readonly events: EventQueries,
    private readonly tail: ArchiveTail,
    private readonly times = { slowReaderMs: SLOW_READER_MS, aliveIntervalMs: ALIVE_INTERVAL_MS },
  ) {
    onceClosed(response, () => this.ended.abort());
  }

  /** Ends the stream with a reason. Harmless when repeated. */
  end(reason: StreamEnd): void {
    this.reason ??= reason;
    this.ended.abort();
  }

  /**
   * Resolves when the connection is closed.
   * @param last event that the reader has; without it the stream begins now
   */
  async run(caller: Caller, filter: EventFilter, last: ArchivedPlace | undefined): Promise<void> {
    const { response } = this;
    response.write('retry: 2000\n\n');
    const alive = setInterval(() => {
      if (!response.writableNeedDrain) response.write(ALIVE);
    }, this.times.aliveIntervalMs);
    let stopFollowing: (() => void) | undefined;
    try {
      stopFollowing = await this.tail.follow(this.ended.signal);
      const start = last?.offset ?? this.tail.completeUpTo;
      const id = last?.id ?? (await this.events.findLastBefore(caller, filter, start));
      // With a whole id, a reader that loses the connection before the first event misses none.
      response.write(`id: ${id}\n: connected\n\n`);
      await this.send(filter, start);
    } catch {
      this.end('unavailable');
    } finally {
      clearInterval(alive);
      stopFollowing?.();
      await this.close();
    }
  }

  private async send(filter: EventFilter, start: number): Promise<void> {
    const { signal } = this.ended;
    for (let after = start; !signal.aborted;) {
      const upTo = Math.min(this.tail.completeUpTo, after + MAX_OFFSETS);
      if (upTo <= after) {
        await this.tail.changed(signal);
        continue;
      }
      const { rows, hasMore } = await this.events.listArchived(filter, { after, upTo });
      for (const row of rows) {
        if (signal.aborted) return;
        if (!this.response.write(toFrame(row))) await this.waitForReader();
      }
      after = hasMore ? (rows.at(-1)?.offset ?? upTo) : upTo;
    }
  }

  private async waitForReader(): Promise<void> {
    const slow = AbortSignal.timeout(this.times.slowReaderMs);
    const signal = AbortSignal.any([this.ended.signal, slow]);
    await once(this.response, 'drain', { signal }).catch(() => undefined);
    if (slow.aborted) this.end('slow');
  }

  private async close(): Promise<void> {
    const { response, reason = 'shutdown' } = this;
    if (isClosed(response)) return;
    const closed = new Promise<void>((resolve) => onceClosed(response, resolve));
    const timer = setTimeout(() => response.destroy(), END_MS);
    const end = JSON.stringify({ reason, message: REASONS[reason] });
    response.end(`event: end\ndata: ${end}\n\n`);
    await closed;
    clearTimeout(timer);
  }
}

/** Without `event:`, so that `onmessage` of a browser gets it. */
function toFrame({ offset: _, text, ...row }: StreamedRow): string {
  const data = JSON.stringify({ ...row, event: JSON.parse(text) as unknown });
  return `id: ${row.id}\ndata: ${data}\n\n`;
}
