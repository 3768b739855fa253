/** Which items come first, and how large a batch is. */
export interface BatchOrder<T> {
  /** The lowest first; items of the same precedence in the order of their arrival. */
  readonly precedence: (item: T) => number;
  readonly size: (item: T) => number;
  /** A batch has at most this size, or one item. */
  readonly maxSize: number;
}

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
    private readonly order?: BatchOrder<T>,
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
      while (this.waiting.length > 0 && !this.held) await this.process(this.take());
    } finally {
      this.running = undefined;
    }
  }

  private take(): T[] {
    const { order } = this;
    if (order === undefined) return this.waiting.splice(0, this.maxBatch);
    this.waiting.sort((a, b) => order.precedence(a) - order.precedence(b));
    let size = 0;
    const end = this.waiting.findIndex((item) => (size += order.size(item)) > order.maxSize);
    return this.waiting.splice(0, end < 0 ? this.maxBatch : Math.min(this.maxBatch, Math.max(1, end)));
  }
}
