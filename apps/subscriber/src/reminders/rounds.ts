import type { Term } from '../replica/running-term.js';

/** Runs rounds one after the other until the term ends. */
export class Rounds {
  private readonly stopping = new AbortController();
  private readonly signal: AbortSignal;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private wakePending = false;

  constructor(
    private readonly run: (signal: AbortSignal) => Promise<number | undefined>,
    term: Term,
  ) {
    this.signal = AbortSignal.any([term.ended, this.stopping.signal]);
    this.signal.addEventListener('abort', () => clearTimeout(this.timer), { once: true });
  }

  wake(): void {
    if (this.signal.aborted) return;
    clearTimeout(this.timer);
    this.wakePending = true;
    this.running ??= this.runWhilePending().finally(() => {
      this.running = undefined;
      // A wake after the last round must not be lost.
      if (this.wakePending) this.wake();
    });
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async runWhilePending(): Promise<void> {
    let waitMs: number | undefined;
    while (this.wakePending && !this.signal.aborted) {
      this.wakePending = false;
      waitMs = await this.run(this.signal);
    }
    if (waitMs !== undefined && !this.signal.aborted)
      this.timer = setTimeout(() => this.wake(), Math.max(0, waitMs));
  }
}
