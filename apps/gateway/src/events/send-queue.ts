import type { SendRequest } from './events-request.js';
import { BODY_LIMIT } from '../settings.js';

/** What an intake does with what was sent, and with the socket that it comes from. */
export interface IntakeOptions {
  /** Passes one message on and answers it; never rejects. */
  readonly pass: (request: SendRequest) => Promise<void>;
  /** Counts bytes that wait against what all clients may have waiting. @returns to be called once, when they wait no more */
  readonly hold: (bytes: number) => () => void;
  /** The socket is to be read no further, so that the client has to wait. */
  readonly pause: () => void;
  readonly resume: () => void;
}

/** Frames of one client that may wait, and bytes of them; from there on its socket is not read. */
const MOST_WAITING = 64;
export const MOST_WAITING_BYTES = BODY_LIMIT;

interface WaitingFrame {
  readonly requests: readonly SendRequest[];
  readonly bytes: number;
  readonly give: () => void;
}

/** What one client sent and the gateway has not passed on yet: one message after the other, so that they keep their order. */
export class EventsIntake {
  private readonly frames: WaitingFrame[] = [];
  private bytes = 0;
  /** Messages of the first frame that were begun. */
  private begun = 0;
  private stopped = false;
  private passing = false;
  private passed: Promise<void> = Promise.resolve();

  constructor(private readonly options: IntakeOptions) {}

  /** @param bytes of the frame as it came */
  take(requests: readonly SendRequest[], bytes: number): void {
    const give = this.options.hold(bytes);
    // Counting them may have been one too many for this client.
    if (this.stopped) return give();
    this.frames.push({ requests, bytes, give });
    this.bytes += bytes;
    if (this.isFull()) this.options.pause();
    if (!this.passing) this.passed = this.passAll();
  }

  /** Takes and begins nothing more; reads on, to hear a close. @returns what was taken and will not be passed on, in order */
  stop(): readonly SendRequest[] {
    this.stopped = true;
    const rest = this.frames.flatMap(({ requests }) => requests).slice(this.begun);
    for (const { give } of this.frames.splice(0)) give();
    this.begun = 0;
    this.options.resume();
    return rest;
  }

  /** Resolves when nothing waits and nothing is under way. */
  finished(): Promise<void> {
    return this.passed;
  }

  private async passAll(): Promise<void> {
    this.passing = true;
    for (let frame = this.frames[0]; frame !== undefined; frame = this.frames[0]) {
      const request = frame.requests[this.begun];
      if (request === undefined) {
        this.begun = 0;
        this.frames.shift();
        this.bytes -= frame.bytes;
        frame.give();
        if (!this.isFull()) this.options.resume();
      } else {
        this.begun += 1;
        await this.options.pass(request);
      }
    }
    this.passing = false;
  }

  private isFull(): boolean {
    return this.frames.length >= MOST_WAITING || this.bytes >= MOST_WAITING_BYTES;
  }
}
