import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** Maximum size of the buffer. Further lines are dropped and counted, so that a stalled reader does not fill the memory. */
const MAX_BUFFER_BYTES = 16 * 1_048_576;
/** How long the end of the process waits for a slow reader. */
const FLUSH_TIMEOUT_MS = 1_000;
const RETRY_INTERVAL_MS = 10;
/** Codes of an output that no longer has a reader. */
const BROKEN_CODES: readonly unknown[] = ['EPIPE', 'EBADF', 'EIO'];

/**
 * Writes lines to standard output without blocking, all lines of one event-loop turn at once. It replaces pino's own destination
 * (sonic-boom 4.2), which retries a closed pipe indefinitely when the process ends.
 */
export class LineWriter implements DestinationStream {
  private readonly descriptor = process.stdout.fd;
  /** The unwritten rest of a partly written buffer. */
  private rest: Buffer = Buffer.alloc(0);
  private lines: Buffer[] = [];
  private bytes = 0;
  private dropped = 0;
  private timer: NodeJS.Timeout | NodeJS.Immediate | undefined;
  private isBroken = false;

  write(line: string): void {
    if (this.isBroken) return;
    const buffer = Buffer.from(line);
    if (this.bytes + buffer.length > MAX_BUFFER_BYTES) {
      this.dropped += 1;
      return;
    }
    this.lines.push(buffer);
    this.bytes += buffer.length;
    this.timer ??= setImmediate(() => this.writePending());
  }

  /** Writes everything before the process ends, within a second. pino calls it after a line of level fatal. */
  flushSync(): void {
    for (const deadline = Date.now() + FLUSH_TIMEOUT_MS; !this.tryWrite() && Date.now() < deadline;)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_INTERVAL_MS);
  }

  private writePending(): void {
    this.timer = undefined;
    if (!this.tryWrite()) this.timer = setTimeout(() => this.writePending(), RETRY_INTERVAL_MS);
  }

  /** @returns false when the pipe is full */
  private tryWrite(): boolean {
    try {
      while (this.bytes > 0) {
        if (this.rest.length === 0) this.rest = Buffer.concat(this.lines.splice(0));
        const written = writeSync(this.descriptor, this.rest);
        this.rest = this.rest.subarray(written);
        this.bytes -= written;
      }
    } catch (error) {
      this.isBroken = error instanceof Error && 'code' in error && BROKEN_CODES.includes(error.code);
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
