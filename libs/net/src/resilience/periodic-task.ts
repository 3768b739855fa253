/** Runs a task at once and then at an interval, never twice at the same time. A failed run is repeated at the next interval. */
export class PeriodicTask {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private mustRepeat = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly task: (stopping: AbortSignal) => Promise<void>,
    private readonly intervalMs: number,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  start(): void {
    this.run();
    this.timer = setInterval(() => this.run(), this.intervalMs);
  }

  /** Runs the task now, or once more after the current run. */
  wake(): void {
    if (this.stopping.signal.aborted) return;
    this.mustRepeat = this.running !== undefined;
    this.run();
  }

  /** Waits for the current run. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.running;
  }

  private run(): void {
    this.running ??= this.task(this.stopping.signal)
      .catch((error: unknown) => this.onFailure(error))
      .finally(() => {
        this.running = undefined;
        if (this.mustRepeat) this.wake();
      });
  }
}
