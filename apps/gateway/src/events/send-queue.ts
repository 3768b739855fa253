import type { WebSocket } from 'ws';
import { BODY_LIMIT } from '../settings.js';
import type { BudgetHolder, ByteBudget } from './byte-budget.js';
import type { SendRequest } from './events-request.js';

/** From these bounds on the client's socket is paused. */
const MAX_WAITING_FRAMES = 64;
export const MAX_WAITING_BYTES = BODY_LIMIT;

interface WaitingFrame {
  readonly requests: readonly SendRequest[];
  readonly bytes: number;
  readonly releaseBytes: () => void;
}

/** Messages that one client sent and that are not processed yet: one after the other, so that they keep their order. */
export class SendQueue {
  private readonly frames: WaitingFrame[] = [];
  private bytes = 0;
  /** Requests of the first frame whose processing has begun. */
  private begun = 0;
  private stopped = false;
  private processing = false;
  private processed: Promise<void> = Promise.resolve();

  constructor(
    private readonly socket: Pick<WebSocket, 'pause' | 'resume'>,
    private readonly budget: ByteBudget,
    private readonly holder: BudgetHolder,
    /** Sends one message and answers it. Never rejects. */
    private readonly process: (request: SendRequest) => Promise<void>,
  ) {}

  /** @param bytes of the frame as it arrived */
  add(requests: readonly SendRequest[], bytes: number): void {
    const releaseBytes = this.budget.reserve(this.holder, bytes);
    // The reservation may have evicted this client.
    if (this.stopped) return releaseBytes();
    this.frames.push({ requests, bytes, releaseBytes });
    this.bytes += bytes;
    if (this.isFull()) this.socket.pause();
    if (!this.processing) this.processed = this.processAll();
  }

  /** Processes nothing more. The socket is read on, so that its close is noticed. @returns what will not be processed, in order */
  stop(): readonly SendRequest[] {
    this.stopped = true;
    const rest = this.frames.flatMap(({ requests }) => requests).slice(this.begun);
    for (const { releaseBytes } of this.frames.splice(0)) releaseBytes();
    this.begun = 0;
    this.socket.resume();
    return rest;
  }

  /** Resolves when nothing waits and nothing is being processed. */
  finished(): Promise<void> {
    return this.processed;
  }

  private async processAll(): Promise<void> {
    this.processing = true;
    for (let frame = this.frames[0]; frame !== undefined; frame = this.frames[0]) {
      const request = frame.requests[this.begun];
      if (request === undefined) {
        this.begun = 0;
        this.frames.shift();
        this.bytes -= frame.bytes;
        frame.releaseBytes();
        if (!this.isFull()) this.socket.resume();
      } else {
        this.begun += 1;
        await this.process(request);
      }
    }
    this.processing = false;
  }

  private isFull(): boolean {
    return this.frames.length >= MAX_WAITING_FRAMES || this.bytes >= MAX_WAITING_BYTES;
  }
}
