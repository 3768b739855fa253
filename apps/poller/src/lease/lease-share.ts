/**
 * Decides which leases this replica may hold. The replicas that poll the same participants hold equal shares: a replica with more leases hands
 * some over, and a replica with fewer acquires free ones.
 */
export class LeaseShare {
  /** Participants whose leases are held, or are being acquired. */
  private readonly taken = new Set<string>();

  /**
   * @param limit largest number of leases
   * @param onEmpty called when this replica no longer holds a lease
   */
  constructor(
    private readonly limit: () => number,
    private readonly onEmpty: () => void,
  ) {}

  /** Whether the lease may be acquired. It counts as taken until `end`. */
  begin(participant: string): boolean {
    if (this.taken.has(participant)) return true;
    if (this.taken.size >= this.limit()) return false;
    this.taken.add(participant);
    return true;
  }

  /** The lease is held, although others may have fewer. */
  take(participant: string): void {
    this.taken.add(participant);
  }

  /** The lease was not acquired, or has ended. */
  end(participant: string): void {
    this.taken.delete(participant);
    if (this.taken.size === 0) this.onEmpty();
  }

  /** Whether the lease must be handed over, because this replica has too many. If so, it counts as ended. */
  handOver(participant: string): boolean {
    if (this.taken.size <= this.limit()) return false;
    return this.taken.delete(participant);
  }
}

/** The largest number of leases of a replica. */
export function shareOf(participants: number, replicas: number): number {
  return Math.ceil(participants / Math.max(1, replicas));
}
