import { backoffDelayMs } from '@ssb/resilience';
import { LRUCache } from 'lru-cache';

export interface FailureLimits {
  /** Number of failures that cause no pause. */
  readonly free: number;
  /** Pause after the first failure beyond the free ones; it doubles with each further failure. */
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
  /** Time after which one failure is forgotten. */
  readonly forgetOneMs: number;
  /** Maximum number of counters; the one with the oldest failure is evicted. */
  readonly capacity: number;
}

interface Counter {
  /** Failures that were not yet forgotten at `lastFailureAt`; can be a fraction. */
  failures: number;
  /** Epoch milliseconds. */
  lastFailureAt: number;
  /** Epoch milliseconds. */
  pausedUntil: number;
}

/** Counts failures by name. Forgets one failure of a name after each `forgetOneMs`. */
export class FailureCounters {
  private readonly counters: LRUCache<string, Counter>;

  constructor(private readonly limits: FailureLimits) {
    this.counters = new LRUCache({ max: limits.capacity });
  }

  /** The remaining pause of this name, milliseconds; 0 for none. @param now epoch milliseconds */
  pauseFor(name: string, now: number): number {
    return Math.max(0, (this.counters.peek(name)?.pausedUntil ?? 0) - now);
  }

  /** True while the failures of this name cause no pause. */
  isFree(name: string, now: number): boolean {
    return this.remainingFailures(name, now) <= this.limits.free;
  }

  count(name: string, now: number): void {
    const { free, minPauseMs, maxPauseMs } = this.limits;
    const failures = this.remainingFailures(name, now) + 1;
    const backoff = { baseMs: minPauseMs, maxMs: maxPauseMs };
    const pause = failures <= free ? 0 : backoffDelayMs(Math.ceil(failures - free), backoff, 1);
    this.counters.set(name, { failures, lastFailureAt: now, pausedUntil: now + pause });
  }

  forget(name: string): void {
    this.counters.delete(name);
  }

  /** Number of counters. */
  get size(): number {
    return this.counters.size;
  }

  private remainingFailures(name: string, now: number): number {
    const counter = this.counters.peek(name);
    if (counter === undefined) return 0;
    const forgotten = Math.max(0, now - counter.lastFailureAt) / this.limits.forgetOneMs;
    return Math.max(0, counter.failures - forgotten);
  }
}
