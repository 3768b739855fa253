import { backoffDelayMs } from '@ssb/resilience';
import { LRUCache } from 'lru-cache';

/** When failures begin to cost, how much, and for how long they are remembered. */
export interface FailureCost {
  /** Failures that cost nothing. */
  readonly free: number;
  /** What the first failure beyond them costs; each further one costs twice as much as the one before. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** One failure is forgotten for each time of this length. */
  readonly forgetOneMs: number;
  /** How many counters are kept; the one whose failure is longest ago is evicted. */
  readonly capacity: number;
}

interface Counter {
  /** What has not been forgotten at `at`; a fraction of a failure included. */
  failures: number;
  /** Of the last failure, epoch milliseconds. */
  at: number;
  /** Epoch milliseconds. */
  pausedUntil: number;
}

/** Counts failures by name. They age, so that who failed often long ago is as good as new. Times are epoch milliseconds, given by the caller. */
export class FailureCounters {
  private readonly counters: LRUCache<string, Counter>;

  constructor(private readonly cost: FailureCost) {
    this.counters = new LRUCache({ max: cost.capacity });
  }

  /** How long whoever has this name has to wait; 0 for not at all. */
  pauseFor(name: string, now: number): number {
    return Math.max(0, (this.counters.peek(name)?.pausedUntil ?? 0) - now);
  }

  /** Whether all failures of this name are still free. */
  isFree(name: string, now: number): boolean {
    return this.failuresOf(name, now) <= this.cost.free;
  }

  count(name: string, now: number): void {
    const { free, firstPauseMs, longestPauseMs } = this.cost;
    const failures = this.failuresOf(name, now) + 1;
    const backoff = { baseMs: firstPauseMs, maxMs: longestPauseMs };
    const pause = failures <= free ? 0 : backoffDelayMs(Math.ceil(failures - free), backoff, 1);
    this.counters.set(name, { failures, at: now, pausedUntil: now + pause });
  }

  forget(name: string): void {
    this.counters.delete(name);
  }

  /** Counters held now. */
  get size(): number {
    return this.counters.size;
  }

  private failuresOf(name: string, now: number): number {
    const counter = this.counters.peek(name);
    if (counter === undefined) return 0;
    return Math.max(0, counter.failures - Math.max(0, now - counter.at) / this.cost.forgetOneMs);
  }
}
