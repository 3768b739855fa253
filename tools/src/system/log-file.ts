import { close, open, write } from 'node:fs';
import { PRIVATE_FILE_MODE } from '@ssb/platform';

export interface LogFileOptions {
  readonly path: string;
  /** Called with one sentence when the file cannot be written, and with one when it can again. */
  readonly report: (text: string) => void;
  /** Between two attempts on a file that cannot be written. Default 5 s. */
  readonly retryIntervalMs?: number;
}

const RETRY_INTERVAL_MS = 5_000;
/** Lines beyond this are left out while a slow disk writes. */
const MAX_PENDING_BYTES = 4 * 1_048_576;

/**
 * Appends lines to a file. A full disk leaves lines out, which is reported, and never ends the process. The file is opened again for each attempt
 * after a failure.
 */
export class LogFile {
  private descriptor: number | undefined;
  private pending: string[] = [];
  private pendingBytes = 0;
  private leftOut = 0;
  private isFailing = false;
  private isLineCut = false;
  private nextAttempt = 0;
  private writing: Promise<void> | undefined;

  constructor(private readonly options: LogFileOptions) {}

  writeLine(text: string): void {
    const isWaiting = this.isFailing && Date.now() < this.nextAttempt;
    if (isWaiting || this.pendingBytes >= MAX_PENDING_BYTES) {
      this.leftOut += 1;
      return;
    }
    this.pending.push(text);
    this.pendingBytes += Buffer.byteLength(text);
    this.writing ??= this.writePending();
  }

  /** Writes what is pending, and reports lines that were left out. */
  async close(): Promise<void> {
    await this.writing;
    if (this.leftOut > 0) this.report(`is closed; ${countLines(this.leftOut)} left out`);
    const { descriptor } = this;
    this.descriptor = undefined;
    if (descriptor !== undefined) await new Promise((resolve) => close(descriptor, resolve));
  }

  /** Ends only after a wait, so `writing` is set before its end unsets it. */
  private async writePending(): Promise<void> {
    while (this.pending.length > 0) {
      const lines = this.pending;
      this.pending = [];
      this.pendingBytes = 0;
      const rest = Buffer.from(`${this.isLineCut ? '\n' : ''}${lines.join('\n')}\n`);
      try {
        this.descriptor ??= await openFile(this.options.path);
        await this.writeAll(this.descriptor, rest);
        this.onWritten();
      } catch (error) {
        this.onFailed(error as NodeJS.ErrnoException, lines.length);
      }
    }
    this.writing = undefined;
  }

  /** A disk that fills up takes a part. */
  private async writeAll(descriptor: number, buffer: Buffer): Promise<void> {
    for (let rest = buffer; rest.length > 0;) {
      rest = rest.subarray(await writePart(descriptor, rest));
      this.isLineCut = rest.length > 0;
    }
  }

  private onWritten(): void {
    if (this.leftOut > 0) this.report(`is written again; ${countLines(this.leftOut)} left out`);
    this.leftOut = 0;
    this.isFailing = false;
  }

  private onFailed({ message }: NodeJS.ErrnoException, lines: number): void {
    this.leftOut += lines;
    if (!this.isFailing) this.report(`cannot be written: ${message}. Lines are left out until it can`);
    this.isFailing = true;
    this.nextAttempt = Date.now() + (this.options.retryIntervalMs ?? RETRY_INTERVAL_MS);
    // The write that failed is reported, so an error of the close adds nothing.
    if (this.descriptor !== undefined) close(this.descriptor, () => undefined);
    this.descriptor = undefined;
  }

  private report(what: string): void {
    this.options.report(`${this.options.path} ${what}.`);
  }
}

function openFile(path: string): Promise<number> {
  return new Promise((resolve, reject) =>
    open(path, 'a', PRIVATE_FILE_MODE, (error, descriptor) =>
      error === null ? resolve(descriptor) : reject(error),
    ),
  );
}

function writePart(descriptor: number, buffer: Buffer): Promise<number> {
  return new Promise((resolve, reject) =>
    write(descriptor, buffer, (error, written) => (error === null ? resolve(written) : reject(error))),
  );
}

function countLines(count: number): string {
  return count === 1 ? '1 line was' : `${count} lines were`;
}
