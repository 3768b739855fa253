import { write, writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Lines that wait beyond this are dropped, so that a reader that stands still neither stops the app nor fills its memory. */
const MAX_WAITING_CHARACTERS = 16 * 1_048_576;
/** How long `flushSync` waits for a reader that is slow. */
const FLUSH_TIMEOUT_MS = 1_000;
const RETRY_MS = 10;

/**
 * Writes lines to a file descriptor without blocking: one write at a time, with all lines that have come meanwhile. After an error such as a
 * closed pipe every line is dropped. pino's own destination (sonic-boom 4.2) retries a closed pipe indefinitely when the process ends.
 */
export class LineWriter implements DestinationStream {
  private waiting: string[] = [];
  private waitingCharacters = 0;
  /** Being written, or tried again in a moment. */
  private current: Buffer | undefined;
  /** A thread of the pool has `current`. */
  private isWriting = false;
  private isBroken = false;

  constructor(private readonly descriptor: number) {}

  write(line: string): void {
    if (this.isBroken || this.waitingCharacters + line.length > MAX_WAITING_CHARACTERS) return;
    this.waiting.push(line);
    this.waitingCharacters += line.length;
    if (this.current === undefined) this.start(this.take());
  }

  /** Blocks until everything is written, for the end of the process. Pino calls it after a line of level fatal. */
  flushSync(): void {
    const deadline = Date.now() + FLUSH_TIMEOUT_MS;
    // The thread completes its write; the event loop would report that only after this.
    if (this.isWriting) sleep(RETRY_MS);
    else if (this.current !== undefined) this.waiting.unshift(this.current.toString());
    let rest = this.take();
    while (rest.length > 0 && !this.isBroken) {
      try {
        rest = rest.subarray(writeSync(this.descriptor, rest));
      } catch (error) {
        this.isBroken = !isFull(error) || Date.now() > deadline;
        sleep(RETRY_MS);
      }
    }
  }

  private take(): Buffer {
    const text = this.waiting.join('');
    this.waiting = [];
    this.waitingCharacters = 0;
    return Buffer.from(text);
  }

  private start(rest: Buffer): void {
    this.current = rest;
    this.isWriting = true;
    write(this.descriptor, rest, (error, written) => {
      this.isWriting = false;
      if (error && !isFull(error)) this.isBroken = true;
      else if (error) return void setTimeout(() => this.start(rest), RETRY_MS);
      else if (written < rest.length) return this.start(rest.subarray(written));
      this.current = undefined;
      if (this.waiting.length > 0) this.start(this.take());
    });
  }
}

/** The pipe is full for now. */
function isFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
