import { MAX_NAMED_CHANNELS, type StreamFrame } from '@ssb/bus';
import { Semaphore } from 'async-mutex';
import type { WebSocket } from 'ws';
import { MAX_PAGE_BYTES } from '../messages/read-messages.service.js';

/** The stream is closed; a new subscription gets the unacknowledged messages again. */
export class StreamClosedError extends Error {
  override readonly name = 'StreamClosedError';
}

/** A client with more waiting frames is disconnected. */
const MAX_WAITING_FRAMES = 1_000;

const MIB = 1_048_576;
const MAX_PAGES_MIB = (2 * MAX_PAGE_BYTES) / MIB;

/** Writes the frames of one connection, and limits the pages and access checks of its subscriptions to protect memory. */
export class FrameWriter {
  private readonly accessCheckSlots = new Semaphore(MAX_NAMED_CHANNELS);
  private readonly pageSlots = new Semaphore(MAX_PAGES_MIB);
  private lastWrite: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(private readonly socket: WebSocket) {}

  /** Waits until the access to this many channels may be checked. @returns a function to call after the check */
  acquireAccessCheck(channels: number): Promise<() => void> {
    return acquire(this.accessCheckSlots, channels, MAX_NAMED_CHANNELS);
  }

  /** Waits until a page of this size may be in memory. @returns a function to call once the page is sent */
  acquirePage(bytes: number): Promise<() => void> {
    return acquire(this.pageSlots, Math.ceil(bytes / MIB), MAX_PAGES_MIB);
  }

  /**
   * Sends a frame after all earlier frames. Resolves once the operating system has accepted it.
   * @throws StreamClosedError
   */
  async send(frame: StreamFrame): Promise<void> {
    if (this.waiting >= MAX_WAITING_FRAMES) {
      this.socket.terminate();
      throw new StreamClosedError('the client does not read what it requested');
    }
    this.waiting += 1;
    const sent = this.lastWrite.then(() => this.write(JSON.stringify(frame)));
    // After a failure the next frame is still written, and its own write fails.
    this.lastWrite = sent.catch(() => undefined);
    try {
      await sent;
    } finally {
      this.waiting -= 1;
    }
  }

  private write(text: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.socket.send(text, (error) => {
        if (error) reject(new StreamClosedError('the stream is closed', { cause: error }));
        else resolve();
      });
    });
  }
}

/** A weight above the total acquires the whole semaphore. */
async function acquire(semaphore: Semaphore, weight: number, total: number): Promise<() => void> {
  const [, release] = await semaphore.acquire(Math.max(1, Math.min(weight, total)));
  return release;
}
