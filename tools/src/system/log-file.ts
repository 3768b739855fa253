import { PRIVATE_FILE_MODE } from '@ssb/platform';
import { createWriteStream, type WriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

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

/** Appends lines to a file. A full disk leaves lines out, which is reported, and never ends the process. */
export class LogFile {
  /** Opened again for each attempt after a failure. */
  private stream: WriteStream | undefined;
  private leftOut = 0;
  private isFailing = false;
  private isLineCut = false;
  private nextAttempt = 0;

  constructor(private readonly options: LogFileOptions) {}

  writeLine(text: string): void {
    const isWaiting = this.stream === undefined && Date.now() < this.nextAttempt;
    if (isWaiting || (this.stream?.writableLength ?? 0) >= MAX_PENDING_BYTES) {
      this.leftOut += 1;
      return;
    }
    this.stream ??= this.open();
    this.stream.write(`${text}\n`, (error) => {
      if (error) this.leftOut += 1;
      else this.onWritten();
    });
  }

  /** Writes what is pending, and reports lines that were left out. */
  async close(): Promise<void> {
    const { stream } = this;
    stream?.end();
    // A failure is reported by `open`.
    if (stream !== undefined) await finished(stream).catch(() => undefined);
    if (this.leftOut > 0) this.report(`is closed; ${countLines(this.leftOut)} left out`);
  }

  private open(): WriteStream {
    const stream = createWriteStream(this.options.path, { flags: 'a', mode: PRIVATE_FILE_MODE });
    stream.on('error', ({ message }) => {
      if (!this.isFailing) this.report(`cannot be written: ${message}. Lines are left out until it can`);
      this.isFailing = true;
      // A disk that fills up takes a part of the last line.
      this.isLineCut ||= stream.bytesWritten > 0;
      this.nextAttempt = Date.now() + (this.options.retryIntervalMs ?? RETRY_INTERVAL_MS);
      if (this.stream === stream) this.stream = undefined;
    });
    if (this.isLineCut) stream.write('\n', (error) => (this.isLineCut &&= Boolean(error)));
    return stream;
  }

  private onWritten(): void {
    if (this.leftOut > 0) this.report(`is written again; ${countLines(this.leftOut)} left out`);
    this.leftOut = 0;
    this.isFailing = false;
  }

  private report(what: string): void {
    this.options.report(`${this.options.path} ${what}.`);
  }
}

function countLines(count: number): string {
  return count === 1 ? '1 line was' : `${count} lines were`;
}
