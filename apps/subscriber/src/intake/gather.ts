/**
 * Lets the work on one group run at a time; what comes meanwhile gathers and makes the next group. So a single item is worked on
 * at once, and many share the cost of one transaction.
 */
export class Gather<T> {
  private waiting: T[] = [];
  private running: Promise<void> | undefined;
  private stopped = false;

  /**
   * @param work on one group of at most `limit` items; a rejection is a fault of the program, which ends the process
   */
  constructor(
    private readonly work: (group: T[]) => Promise<void>,
    private readonly limit: number,
  ) {}

  /** How many items wait for the group that runs. */
  get size(): number {
    return this.waiting.length;
  }

  add(items: readonly T[]): void {
    if (this.stopped || items.length === 0) return;
    this.waiting.push(...items);
    this.running ??= this.run();
  }

  /** Lets the group that runs come to its end and drops the rest. */
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
