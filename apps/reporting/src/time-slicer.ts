import { setImmediate as nextTurn } from 'node:timers/promises';

/** Cuts long work into slices, so that other requests are served in between. */
export class TimeSlicer {
  private began = performance.now();

  /** @param maxMs how long a slice lasts; one step of the work is the least */
  constructor(private readonly maxMs: number) {}

  /** To be awaited between steps. */
  async pauseIfDue(): Promise<void> {
    if (performance.now() - this.began < this.maxMs) return;
    await nextTurn();
    this.began = performance.now();
  }
}
