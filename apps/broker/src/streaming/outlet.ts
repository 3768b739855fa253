import { MOST_NAMED_CHANNELS, type StreamFrame } from '@ssb/bus';
import { Semaphore } from 'async-mutex';
import type { WebSocket } from 'ws';
import { PAGE_BYTES } from '../messages/read-messages.js';

/** The stream is gone; what was sent on it comes again on the next one. */
export class StreamClosedError extends Error {
  override readonly name = 'StreamClosedError';
}

/** Answers that wait for a client that does not read; beyond it the client is cut off. */
const MAX_WAITING = 1_000;

export const MIB = 1_048_576;

/** What the subscriptions of one stream share, so that many of them neither stall the broker nor fill its memory. */
export class Outlet {
  /** Reviews, by the channels that are looked up. */
  readonly reviews = weighted(MOST_NAMED_CHANNELS);
  /** Pages that were read and not yet taken by the client's socket, by MiB of payload. */
  readonly pages = weighted((2 * PAGE_BYTES) / MIB);
  private tail: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(private readonly socket: WebSocket) {}

  /**
   * Sends one frame after those before it. Resolves once the operating system has taken it, so that a caller that waits has one frame in
   * memory.
   * @throws StreamClosedError when the stream is gone
   */
  async send(frame: StreamFrame): Promise<void> {
    if (this.waiting >= MAX_WAITING) {
      this.socket.terminate();
      throw new StreamClosedError('the client does not read what it requested');
    }
    this.waiting += 1;
    const sent = this.tail.then(() => this.write(JSON.stringify(frame)));
    // The next frame waits for this one whether it was sent or not: its own write fails then.
    this.tail = sent.catch(() => undefined);
    try {
      await sent;
    } finally {
      this.waiting -= 1;
    }
  }

  private write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.send(text, (error) => {
        if (error) reject(new StreamClosedError('the stream is gone', { cause: error }));
        else resolve();
      });
    });
  }
}

/**
 * Work of a total weight goes on at once; the rest waits in order. What is heavier than the total goes alone.
 * @param total at most some hundreds: each release takes time in proportion to it
 */
function weighted(total: number) {
  const semaphore = new Semaphore(total);
  return <T>(weight: number, work: () => Promise<T>): Promise<T> =>
    semaphore.runExclusive(work, Math.max(1, Math.min(weight, total)));
}
