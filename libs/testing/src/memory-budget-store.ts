interface BudgetWindow {
  readonly requests: number;
  readonly ms: number;
}

/** A request budget in memory: the model that the budget in Redis is compared with. Holds no more entries than the longest window allows. */
export class MemoryBudgetStore {
  private requests: { readonly id: string; latestArrival: number }[] = [];
  private pausedUntil = 0;
  private readonly longestMs: number;

  constructor(
    private readonly windows: readonly BudgetWindow[],
    /** Any clock in milliseconds that never goes back. */
    private readonly now: () => number = () => performance.now(),
  ) {
    this.longestMs = Math.max(0, ...windows.map(({ ms }) => ms));
  }

  async tryAcquire(id: string, holdMs: number): Promise<number> {
    const now = this.now();
    if (now < this.pausedUntil) return this.pausedUntil - now;
    const arrivals = this.requests.map(({ latestArrival }) => latestArrival).sort((a, b) => a - b);
    const wait = msUntilAllowed(arrivals, this.windows, now);
    if (wait > 0) return wait;
    this.requests = this.requests.filter(({ latestArrival }) => latestArrival > now - this.longestMs);
    if (this.windows.length > 0) this.requests.push({ id, latestArrival: now + holdMs });
    return 0;
  }

  async release(id: string): Promise<void> {
    const request = this.requests.find((each) => each.id === id);
    if (request !== undefined) request.latestArrival = Math.min(request.latestArrival, this.now());
  }

  async pause(ms: number): Promise<void> {
    this.pausedUntil = Math.max(this.pausedUntil, this.now() + ms);
  }
}

/**
 * How long until one more request may be sent without exceeding any window. A request reaches the server at an unknown time before its
 * response, so it counts from its latest possible arrival.
 * @param latestArrivals one for each request, ascending, in milliseconds as `now`; in the future while there is no response
 * @returns milliseconds; 0 when it may be sent now. While responses are missing it is a minimum: call again then.
 */
export function msUntilAllowed(
  latestArrivals: readonly number[],
  windows: readonly BudgetWindow[],
  now: number,
): number {
  return Math.max(0, ...windows.map((window) => msUntilRoom(latestArrivals, window, now)));
}

function msUntilRoom(latestArrivals: readonly number[], { requests, ms }: BudgetWindow, now: number): number {
  // The request that must leave the window first.
  const blocking = latestArrivals.at(-requests);
  if (latestArrivals.length < requests || blocking === undefined) return 0;
  // A request in flight leaves no sooner than if its response came now.
  return Math.max(0, Math.min(blocking, now) + ms - now);
}
