import { networkOf } from './network-of.js';

/** Senders that are remembered; beyond it the one that was silent for longest is forgotten, so that memory stays bounded. */
const MOST_SENDERS = 10_000;

const MINUTE_MS = 60_000;

/** A token bucket for each IPv4 address and each IPv6 network of 64 bits: checking a signature costs far more than sending one. */
export class AttemptBudget {
  private readonly buckets = new Map<string, { left: number; at: number }>();

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
    // Behind all others, so that the first is the one that was silent for longest.
    this.buckets.delete(sender);
    if (this.buckets.size >= MOST_SENDERS) this.forgetFirst();
    this.buckets.set(sender, { left: available < 1 ? available : available - 1, at });
    return available >= 1;
  }

  private forgetFirst(): void {
    const [first] = this.buckets.keys();
    if (first !== undefined) this.buckets.delete(first);
  }
}
