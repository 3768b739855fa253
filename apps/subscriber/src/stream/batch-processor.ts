/** Processes one batch at a time. Items that arrive meanwhile form the next batch, so many items share one transaction. */
export class BatchProcessor<T> {
  private waiting: T[] = [];
  private running: Promise<void> | undefined;
  private stopped = false;
  private held = false;

  /** @param process a rejection is a bug and ends the app */
  constructor(
    private readonly process: (batch: T[]) => Promise<void>,
    private readonly maxBatch: number,
  ) {}

  add(items: readonly T[]): void {
    if (this.stopped || items.length === 0) return;
    this.waiting.push(...items);
    this.resume();
  }

  /** Keeps items waiting until `release`. */
  hold(): void {
    this.held = true;
  }

  release(): void {
    this.held = false;
    this.resume();
  }

  /** Completes the current batch and drops waiting items. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.waiting = [];
    await this.running;
  }

  private resume(): void {
    if (!this.held && this.waiting.length > 0) this.running ??= this.run();
  }

  private async run(): Promise<void> {
    try {
      while (this.waiting.length > 0 && !this.held) await this.process(this.waiting.splice(0, this.maxBatch));
    } finally {
      this.running = undefined;
    }
  }
}
