import type { Logger } from '@ssb/platform';
import type { WebSocket } from 'ws';
import type { BudgetHolder, ByteBudget } from './byte-budget.js';

/** Writes frames to the socket of one client. The bytes that wait for the socket count towards a budget of all clients. */
export class FrameWriter {
  private readonly holder: BudgetHolder = {
    /** Only termination frees the bytes that wait for this client. */
    evict: () => {
      this.log.warn({ reason: 'slow-reader' }, 'events client evicted');
      this.socket.terminate();
    },
  };

  constructor(
    private readonly socket: WebSocket,
    private readonly budget: ByteBudget,
    private readonly log: Logger,
  ) {}

  /** @param onAccepted called when the socket has accepted all frames */
  writeAll(frames: readonly string[], onAccepted: () => void): void {
    let pending = frames.length;
    for (const frame of frames) {
      // Once a reservation has evicted this client, its further frames would take the bytes of others.
      if (this.socket.readyState !== this.socket.OPEN) return;
      this.write(frame, (error) => {
        if (error) return;
        pending -= 1;
        if (pending === 0) onAccepted();
      });
    }
  }

  write(frame: string, onAccepted: (error?: Error) => void): void {
    const releaseBytes = this.budget.reserve(this.holder, Buffer.byteLength(frame));
    this.socket.send(frame, (error) => {
      releaseBytes();
      onAccepted(error ?? undefined);
    });
  }
}
