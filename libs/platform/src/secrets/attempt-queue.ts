export interface AttemptQueueLimits {
  readonly perNetwork: number;
  readonly total: number;
}

/** An attempt to authenticate as one user that waits for its slot. */
export interface QueuedAttempt<T> {
  /** The network that it comes from. */
  readonly network: string;
  /** How often this secret was presented. */
  presentations: number;
  readonly value: T;
}

/**
 * The waiting attempts of one user. Networks are served in turn, so many attempts from one network do not delay the others. Within a network the
 * secret that was presented most often is first: a client repeats its secret, and guesses differ.
 */
export class AttemptQueue<T> {
  /** Networks with attempts, each in the order of arrival. The first network is served next. */
  private readonly networks = new Map<string, QueuedAttempt<T>[]>();
  private count = 0;

  constructor(private readonly limits: AttemptQueueLimits) {}

  get length(): number {
    return this.count;
  }

  /** @returns the attempt for which no place is left, which can be the given one */
  add(attempt: QueuedAttempt<T>): QueuedAttempt<T> | undefined {
    const displaced = this.findDisplaced(attempt);
    if (displaced === attempt) return attempt;
    if (displaced !== undefined) this.remove(displaced);
    const network = this.networks.get(attempt.network);
    if (network) network.push(attempt);
    else this.networks.set(attempt.network, [attempt]);
    this.count += 1;
    return displaced;
  }

  /** Removes the next attempt. Its network is then served last. */
  take(): QueuedAttempt<T> | undefined {
    const [network] = this.networks.values();
    const next = network?.reduce((first, each) => (each.presentations > first.presentations ? each : first));
    if (network === undefined || next === undefined) return undefined;
    this.remove(next);
    if (this.networks.delete(next.network)) this.networks.set(next.network, network);
    return next;
  }

  /** A full network keeps the attempts that were presented most often. A full queue shortens its longest network. */
  private findDisplaced(attempt: QueuedAttempt<T>): QueuedAttempt<T> | undefined {
    const own = this.networks.get(attempt.network) ?? [];
    const isNetworkFull = own.length >= this.limits.perNetwork;
    if (!isNetworkFull && this.count < this.limits.total) return undefined;
    const network = isNetworkFull ? own : this.findLongest();
    const weakest = network.reduce((last, each) => (each.presentations <= last.presentations ? each : last));
    const isFairer = network.length > own.length + 1 || attempt.presentations > weakest.presentations;
    return isFairer ? weakest : attempt;
  }

  private findLongest(): QueuedAttempt<T>[] {
    return [...this.networks.values()].reduce((longest, each) =>
      each.length > longest.length ? each : longest,
    );
  }

  private remove(attempt: QueuedAttempt<T>): void {
    const network = this.networks.get(attempt.network) ?? [];
    network.splice(network.indexOf(attempt), 1);
    if (network.length === 0) this.networks.delete(attempt.network);
    this.count -= 1;
  }
}
