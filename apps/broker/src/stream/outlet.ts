import type { StreamFrame } from '@ssb/bus';
import type { WebSocket } from 'ws';

/** The stream is gone; what was sent on it comes again on the next one. */
export class StreamClosedError extends Error {
  override readonly name = 'StreamClosedError';
}

/** Where a stream's frames go. */
export interface Outlet {
  /**
   * Sends one frame after those before it. Resolves once the operating system has taken it, so that whoever waits has one frame in memory.
   * @throws StreamClosedError when the stream is gone
   */
  send(frame: StreamFrame): Promise<void>;
}

/** Answers that wait for a client that does not read; beyond it the client is cut off. */
const MOST_WAITING = 1_000;

/** Frames in order on a WebSocket, one at a time. */
export class SocketOutlet implements Outlet {
  private tail: Promise<void> = Promise.resolve();
  private waiting = 0;

  constructor(private readonly socket: WebSocket) {}

  async send(frame: StreamFrame): Promise<void> {
    if (this.waiting >= MOST_WAITING) {
      this.socket.terminate();
      throw new StreamClosedError('the client does not read what it asked for');
    }
    this.waiting += 1;
    const before = this.tail;
    const sent = before.then(() => this.write(JSON.stringify(frame)));
    // The next frame waits for this one whether it went well or not: its own write tells.
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
