import { createInterface, type Interface } from 'node:readline';

/** There are no more steps to come: whoever gave them closed the input. */
export class NoMoreStepsError extends Error {
  override readonly name = 'NoMoreStepsError';

  constructor() {
    super('no more steps: the input was closed');
  }
}

/** Lines that came before they were needed are kept up to this many; then the input is not read on. */
const MOST_KEPT = 1_000;

/** Steps of a play, one for each line of the input: the return key in a terminal, or lines that a script writes. */
export class Steps {
  private readonly lines: Interface;
  private readonly waiting: { go: () => void; stop: (error: Error) => void }[] = [];
  private kept = 0;
  private ended = false;

  constructor(input: NodeJS.ReadableStream) {
    this.lines = createInterface({ input, terminal: false });
    this.lines.on('line', () => this.take());
    this.lines.on('close', () => this.end());
  }

  /** Resolves with the next step; each step is taken by one. @throws NoMoreStepsError, or the abort reason */
  async next(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.kept > 0) {
      this.kept -= 1;
      if (this.kept === 0 && !this.ended) this.lines.resume();
      return;
    }
    if (this.ended) throw new NoMoreStepsError();
    await new Promise<void>((resolve, reject) => {
      const stop = (error: Error): void => {
        signal.removeEventListener('abort', aborted);
        reject(error);
      };
      const go = (): void => {
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      const waiter = { go, stop };
      const aborted = (): void => {
        this.waiting.splice(this.waiting.indexOf(waiter), 1);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', aborted, { once: true });
      this.waiting.push(waiter);
    });
  }

  /** Reads no more. */
  close(): void {
    this.lines.close();
  }

  private take(): void {
    const first = this.waiting.shift();
    if (first !== undefined) return first.go();
    this.kept += 1;
    if (this.kept >= MOST_KEPT) this.lines.pause();
  }

  private end(): void {
    this.ended = true;
    for (const { stop } of this.waiting.splice(0)) stop(new NoMoreStepsError());
  }
}
