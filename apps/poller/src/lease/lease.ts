import { performance } from 'node:perf_hooks';
import type { Redis } from 'ioredis';
import { ACQUIRE, RELEASE, RENEW } from './scripts.js';

declare const fencingTokenBrand: unique symbol;

/** Number of a term of leadership, greater than every earlier one. Whatever the leader writes carries it. */
export type FencingToken = string & { readonly [fencingTokenBrand]: true };

export interface LeaseOptions {
  readonly redis: Redis;
  readonly leaseKey: string;
  readonly fenceKey: string;
  /** Names this replica; unique. */
  readonly holder: string;
  /** How long the lease outlives its holder. Default 10 s. */
  readonly ttlMs?: number;
  /** How often the holder prolongs it. Default 3 s. */
  readonly renewMs?: number;
  /** How often a replica without it tries. Default 1 s: a lease given back is taken up almost at once. */
  readonly contestMs?: number;
  /** Told when this replica takes the lead or loses it. */
  readonly onChange: (held: boolean) => void;
  /** Told when Redis did not answer. */
  readonly onError: (error: unknown) => void;
}

/**
 * One replica at a time polls for a participant. The lease says who should; the fencing token, compared by Redis at each write, says whose
 * writes count. So a leader that was merely slow (a pause, a cut network) and finds another in its place can do no harm.
 */
export class Lease {
  private term: { readonly token: FencingToken; readonly until: number } | undefined;
  private wasHeld = false;
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();
  private stopped = false;
  private readonly ttlMs: number;

  constructor(private readonly options: LeaseOptions) {
    this.ttlMs = options.ttlMs ?? 10_000;
  }

  /** Begins to contend for the lease, and keeps it once held. */
  start(): void {
    this.beating = this.beat();
  }

  /** The current term's token; undefined when this replica does not lead, or cannot be sure any more that it does. */
  held(): FencingToken | undefined {
    return this.term !== undefined && performance.now() < this.term.until ? this.term.token : undefined;
  }

  /** Stops contending and gives the lease back, so that another replica need not wait for its end. Harmless when repeated. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.beating;
    const held = this.held() !== undefined;
    this.term = undefined;
    this.announce();
    if (!held) return;
    const { redis, leaseKey, holder } = this.options;
    await redis.eval(RELEASE, 1, leaseKey, holder);
  }

  private async beat(): Promise<void> {
    try {
      await (this.term === undefined ? this.acquire() : this.renew(this.term.token));
    } catch (error) {
      this.options.onError(error);
    }
    this.announce();
    if (this.stopped) return;
    const { renewMs = 3_000, contestMs = 1_000 } = this.options;
    const pause = this.held() === undefined ? contestMs : renewMs;
    this.timer = setTimeout(() => {
      this.beating = this.beat();
    }, pause);
  }

  private async acquire(): Promise<void> {
    const { redis, leaseKey, fenceKey, holder } = this.options;
    // From before the question on: the answer may be slow, and Redis counts from when it was asked.
    const asked = performance.now();
    const token = await redis.eval(ACQUIRE, 2, leaseKey, fenceKey, holder, this.ttlMs);
    if (typeof token === 'string') this.term = { token: token as FencingToken, until: asked + this.ttlMs };
  }

  private async renew(token: FencingToken): Promise<void> {
    const { redis, leaseKey, fenceKey, holder } = this.options;
    const asked = performance.now();
    const renewed = await redis.eval(RENEW, 2, leaseKey, fenceKey, holder, this.ttlMs, token);
    this.term = renewed === 1 ? { token, until: asked + this.ttlMs } : undefined;
  }

  private announce(): void {
    const held = this.held() !== undefined;
    if (held === this.wasHeld) return;
    this.wasHeld = held;
    this.options.onChange(held);
  }
}
