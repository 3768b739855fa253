import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** What waits for the reader. Lines beyond it are dropped and counted, so that a reader that stands still does not fill the memory. */
const MAX_WAITING_BYTES = 16 * 1_048_576;
/** How long the end of the process waits for a reader. */
const FLUSH_TIMEOUT_MS = 1_000;
const RETRY_MS = 10;
/** Nobody will read what is written any more. */
const BROKEN: readonly unknown[] = ['EPIPE', 'EBADF', 'EIO'];

/**
 * Writes lines to standard output after the current turn of the event loop, all lines of the turn at once. It never waits for the reader of
 * a pipe. pino's own destination (sonic-boom 4.2) retries a closed pipe indefinitely when the process ends.
 */
export class LineWriter implements DestinationStream {
  private readonly descriptor = process.stdout.fd;
  /** The rest of what was begun; not copied again when it is tried again. */
  private rest: Buffer = Buffer.alloc(0);
  private lines: Buffer[] = [];
  private bytes = 0;
  private dropped = 0;
  private timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  private isBroken = false;

  write(line: string): void {
    if (this.isBroken) return;
    const buffer = Buffer.from(line);
    if (this.bytes + buffer.length > MAX_WAITING_BYTES) {
      this.dropped += 1;
      return;
    }
    this.lines.push(buffer);
    this.bytes += buffer.length;
    this.timer ??= setImmediate(() => this.writeNow());
  }

  /** Writes everything, for the end of the process; gives up after a second. Pino calls it after a line of level fatal. */
  flushSync(): void {
    for (const deadline = Date.now() + FLUSH_TIMEOUT_MS; !this.tryWrite() && Date.now() < deadline;)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
  }

  private writeNow(): void {
    this.timer = undefined;
    if (!this.tryWrite()) this.timer = setTimeout(() => this.writeNow(), RETRY_MS);
  }

  /** @returns false when the reader has no room for the rest */
  private tryWrite(): boolean {
    try {
      while (this.bytes > 0) {
        if (this.rest.length === 0) this.rest = Buffer.concat(this.lines.splice(0));
        const written = writeSync(this.descriptor, this.rest);
        this.rest = this.rest.subarray(written);
        this.bytes -= written;
      }
    } catch (error) {
      this.isBroken = error instanceof Error && 'code' in error && BROKEN.includes(error.code);
      if (!this.isBroken) return false;
      this.rest = Buffer.alloc(0);
      this.lines = [];
      this.bytes = 0;
    }
    const { dropped } = this;
    this.dropped = 0;
    if (dropped > 0) this.write(`{"level":"error","count":${dropped},"msg":"log lines dropped"}\n`);
    return true;
  }
}
