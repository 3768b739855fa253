/**
 * Processes one batch at a time; items that come meanwhile make the next batch. A single item is processed at once, many share the cost of one
 * transaction.
 */
export class BatchProcessor<T> {
  private waiting: T[] = [];
  private running: Promise<void> | undefined;
  private stopped = false;

  /**
   * @param work processes a batch of at most `limit` items; a rejection is a bug and ends the process
   */
  constructor(
    private readonly work: (group: T[]) => Promise<void>,
    private readonly limit: number,
  ) {}

  /** How many items wait for the next batch. */
  get size(): number {
    return this.waiting.length;
  }

  add(items: readonly T[]): void {
    if (this.stopped || items.length === 0) return;
    this.waiting.push(...items);
    this.running ??= this.run();
  }

  /** Waits for the batch that is being processed and drops the rest. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.waiting = [];
    await this.running;
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  private async run(): Promise<void> {
    try {
      while (this.waiting.length > 0) await this.work(this.waiting.splice(0, this.limit));
    } finally {
      this.running = undefined;
    }
  }
}
