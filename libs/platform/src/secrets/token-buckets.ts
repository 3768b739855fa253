import { LRUCache } from 'lru-cache';

export interface TokenBucketOptions {
  /** Tokens of a full bucket. */
  readonly capacity: number;
  /** Time in which a bucket gains one token. */
  readonly refillMs: number;
  /** How many tokens can be taken beyond an empty bucket. Default 0. */
  readonly maxDebt?: number;
}

/** The least recently used bucket is evicted. */
const MAX_BUCKETS = 10_000;

interface Bucket {
  /** Negative for a debt. */
  readonly tokens: number;
  readonly refilledAt: number;
}

/** Token buckets by name; an unknown name has a full one. Times are milliseconds of one clock. */
export class TokenBuckets {
  private readonly buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  constructor(private readonly options: TokenBucketOptions) {}

  /** Time until the bucket has a token, milliseconds; 0 when it has one. */
  waitFor(name: string, now: number): number {
    return Math.max(0, Math.ceil((1 - this.getTokens(name, now)) * this.options.refillMs));
  }

  take(name: string, now: number, count = 1): void {
    const { maxDebt = 0 } = this.options;
    const tokens = Math.max(-maxDebt, this.getTokens(name, now) - count);
    this.buckets.set(name, { tokens, refilledAt: now });
  }

  private getTokens(name: string, now: number): number {
    const { capacity, refillMs } = this.options;
    const bucket = this.buckets.get(name);
    if (bucket === undefined) return capacity;
    return Math.min(capacity, bucket.tokens + Math.max(0, now - bucket.refilledAt) / refillMs);
  }
}
