import type { BudgetStore } from './budget-store.js';
import { type BudgetWindow, checkWindows, waitForTurn } from './domain/windows.js';

/** Counts the requests of this process alone. Holds no more entries than the longest window allows. */
export class MemoryBudgetStore implements BudgetStore {
  private latest: { readonly id: string; at: number }[] = [];
  private pausedUntil = 0;
  private readonly longestMs: number;

  /** @throws InvalidBudgetError */
  constructor(
    private readonly windows: readonly BudgetWindow[],
    /** Any clock in milliseconds that never goes back. */
    private readonly now: () => number = () => performance.now(),
  ) {
    checkWindows(windows);
    this.longestMs = Math.max(0, ...windows.map(({ ms }) => ms));
  }

  async take(id: string, holdMs: number): Promise<number> {
    const now = this.now();
    if (now < this.pausedUntil) return this.pausedUntil - now;
    const wait = waitForTurn(this.moments(), this.windows, now);
    if (wait > 0) return wait;
    this.latest = this.latest.filter(({ at }) => at > now - this.longestMs);
    if (this.windows.length > 0) this.latest.push({ id, at: now + holdMs });
    return 0;
  }

  async settle(id: string): Promise<void> {
    const entry = this.latest.find((each) => each.id === id);
    if (entry !== undefined) entry.at = Math.min(entry.at, this.now());
  }

  async pause(ms: number): Promise<void> {
    this.pausedUntil = Math.max(this.pausedUntil, this.now() + ms);
  }

  private moments(): number[] {
    return this.latest.map(({ at }) => at).sort((a, b) => a - b);
  }
}
