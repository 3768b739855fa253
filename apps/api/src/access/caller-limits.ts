import { Inject, Injectable } from '@nestjs/common';
import { Metrics, ProblemException, SETTINGS, TokenBuckets } from '@ssb/platform';
import { METRICS } from '../metrics.js';
import type { Settings } from '../settings.js';

/** A caller may send the requests of these seconds at once. */
const BURST_SECONDS = 4;

/** Limits the requests of each caller. Requests of others, with or without valid credentials, never count. */
@Injectable()
export class CallerLimits {
  private readonly buckets: TokenBuckets;
  private readonly running = new Map<string, number>();
  private readonly maxRunning: number;
  private readonly refused;

  constructor(@Inject(SETTINGS) settings: Settings, metrics: Metrics) {
    const { CALLER_REQUESTS_PER_SECOND: rate, CALLER_CONCURRENT_REQUESTS: maxRunning } = settings;
    this.buckets = new TokenBuckets({ capacity: BURST_SECONDS * rate, refillMs: 1_000 / rate });
    this.maxRunning = maxRunning;
    this.refused = metrics.counter(METRICS.limited);
  }

  /**
   * Counts a request.
   * @param key identifies the caller
   * @throws ProblemException 429
   */
  take(key: string): void {
    const now = performance.now();
    const waitMs = this.buckets.waitFor(key, now);
    if (waitMs > 0) {
      this.refused.inc({ limit: 'rate' });
      throw new TooManyRequestsError('Too many requests in a short time: wait, then retry.', waitMs);
    }
    this.buckets.take(key, now);
  }

  /**
   * Counts a request that runs.
   * @returns ends it
   * @throws ProblemException 429
   */
  start(key: string): () => void {
    const running = this.running.get(key) ?? 0;
    if (running >= this.maxRunning) {
      this.refused.inc({ limit: 'concurrency' });
      throw new TooManyRequestsError(
        `At most ${this.maxRunning} requests with the same credentials run at once: wait for one, then retry.`,
        1_000,
      );
    }
    this.running.set(key, running + 1);
    return () => this.end(key);
  }

  private end(key: string): void {
    const rest = (this.running.get(key) ?? 1) - 1;
    if (rest === 0) this.running.delete(key);
    else this.running.set(key, rest);
  }
}

/** A caller has used up its limit. */
export class TooManyRequestsError extends ProblemException {
  constructor(
    detail: string,
    readonly retryAfterMs: number,
  ) {
    super(429, 'Too many requests', detail);
  }
}
