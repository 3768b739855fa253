/** Addresses that are remembered; beyond it everything is forgotten, so that memory stays bounded. */
const MOST_ADDRESSES = 10_000;

const MINUTE_MS = 60_000;

/** A token bucket for each network address: checking a signature costs far more than sending one. */
export class AttemptBudget {
  private readonly buckets = new Map<string, { left: number; at: number }>();

  constructor(
    private readonly perMinute: number,
    private readonly now: () => Date,
  ) {}

  /** Takes one attempt; false when there is none left at the moment. */
  spend(address: string): boolean {
    const at = this.now().getTime();
    const bucket = this.buckets.get(address);
    const before = bucket?.left ?? this.perMinute;
    const earned = bucket ? (Math.max(0, at - bucket.at) * this.perMinute) / MINUTE_MS : 0;
    const available = Math.min(this.perMinute, before + earned);
    if (!bucket && this.buckets.size >= MOST_ADDRESSES) this.buckets.clear();
    this.buckets.set(address, { left: available < 1 ? available : available - 1, at });
    return available >= 1;
  }
}
