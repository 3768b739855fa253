import { setImmediate } from 'node:timers/promises';

/** Pauses long work at intervals, so that other requests are served in between. */
export class TimeSlicer {
  private startedAt = performance.now();

  /** @param maxMs of work between two pauses; a longer step is not interrupted */
  constructor(private readonly maxMs: number) {}

  /** Call between two steps of the work. */
  async pauseIfDue(): Promise<void> {
    if (performance.now() - this.startedAt < this.maxMs) return;
    await setImmediate();
    this.startedAt = performance.now();
  }
}
