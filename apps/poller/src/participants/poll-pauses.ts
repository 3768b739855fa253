import type { MarketInterface } from '@ssb/events';
import { findThrottling, type Throttling } from '../faults/throttling.js';
import { maxRetryAfterMs, pauseAfterFailure } from '../polls/poll-failures.js';

/** Until when the polls of each interface pause after failures of the market. */
export class PollPauses {
  private readonly pausedUntil = new Map<MarketInterface, number>();
  /** Polls in a row that the market failed. */
  private readonly marketFailures = new Map<MarketInterface, number>();

  constructor(private readonly intervals: Readonly<Record<MarketInterface, number>>) {}

  isPaused(kind: MarketInterface): boolean {
    return performance.now() < (this.pausedUntil.get(kind) ?? 0);
  }

  /**
   * Called after each poll; without failures it ends the pause.
   * @returns what the failures say about the limits of the operator
   */
  pause(
    kind: MarketInterface,
    failures: readonly unknown[],
    isMarketFailure: boolean,
  ): Throttling | undefined {
    const consecutiveFailures = isMarketFailure ? (this.marketFailures.get(kind) ?? 0) + 1 : 0;
    this.marketFailures.set(kind, consecutiveFailures);
    const pauseMs = pauseAfterFailure({
      kind,
      retryAfterMs: maxRetryAfterMs(failures),
      consecutiveFailures,
      intervalMs: this.intervals[kind],
      random: Math.random(),
    });
    this.pausedUntil.set(kind, performance.now() + pauseMs);
    return findThrottling(kind, failures, pauseMs);
  }
}
