import { toMilliseconds } from '../domain/nanoseconds.js';

/** A channel on which messages keep arriving is read for this long after the first one that is newer than the catch-up. */
const MAX_READ_AFTER_PRESENT_MS = 10_000;

/** Ends a catch-up of a channel on which messages keep arriving. */
export class PresentTime {
  private since: number | undefined;

  constructor(readonly startedAt: Date) {}

  /** Whether messages newer than the catch-up have been read for long enough. */
  isOver(lastNanos: bigint | undefined): boolean {
    if (lastNanos !== undefined && toMilliseconds(lastNanos) >= this.startedAt.getTime())
      this.since ??= performance.now();
    return this.since !== undefined && performance.now() - this.since > MAX_READ_AFTER_PRESENT_MS;
  }
}
