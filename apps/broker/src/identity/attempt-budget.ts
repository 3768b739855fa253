import { LRUCache } from 'lru-cache';
import { networkOf } from './network-of.js';

/** Senders that are remembered; the one that was silent for longest is evicted. */
const MAX_SENDERS = 10_000;

const MINUTE_MS = 60_000;

/** A token bucket for each IPv4 address and each IPv6 network of 64 bits: checking a signature costs far more than sending one. */
export class AttemptBudget {
  private readonly buckets = new LRUCache<string, { left: number; at: number }>({ max: MAX_SENDERS });

  constructor(
    private readonly perMinute: number,
    private readonly now: () => Date,
  ) {}

  /** Takes one attempt of a network address; false when there is none left at the moment. */
  spend(address: string): boolean {
    const at = this.now().getTime();
    const sender = networkOf(address);
    const bucket = this.buckets.get(sender);
    const before = bucket?.left ?? this.perMinute;
    const earned = bucket ? (Math.max(0, at - bucket.at) * this.perMinute) / MINUTE_MS : 0;
    const available = Math.min(this.perMinute, before + earned);
    this.buckets.set(sender, { left: available < 1 ? available : available - 1, at });
    return available >= 1;
  }
}
