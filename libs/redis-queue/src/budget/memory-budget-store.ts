import type { BudgetStore } from './budget-store.js';
import { type BudgetWindow, msUntilAllowed, assertValidWindows } from './budget-window.js';

/** Counts the requests of this process. Holds no more entries than the longest window allows. */
export class MemoryBudgetStore implements BudgetStore {
  private requests: { readonly id: string; latestArrival: number }[] = [];
  private pausedUntil = 0;
  private readonly longestMs: number;

  /** @throws InvalidBudgetError */
  constructor(
    private readonly windows: readonly BudgetWindow[],
    /** Any clock in milliseconds that never goes back. */
    private readonly now: () => number = () => performance.now(),
  ) {
    assertValidWindows(windows);
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
