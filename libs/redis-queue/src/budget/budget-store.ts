/** Counts the requests of a budget, in Redis for all replicas. `budget-store.spec.ts` tests this contract, also on a model in memory. */
export interface BudgetStore {
  /**
   * Counts one request atomically if a window has room for it. Does not wait for room.
   * @param id unique name of the request
   * @param holdMs the request counts as in flight for this long, unless `release` is called
   * @returns 0 when it is counted and may be sent; otherwise milliseconds until the next call is useful
   */
  tryAcquire(id: string, holdMs: number): Promise<number>;
  /** The request is over: it succeeded, failed, or was never sent. Harmless when repeated or unknown. */
  release(id: string): Promise<void>;
  /** Refuses all requests for this long from now. Never shortens a pause. */
  pause(ms: number): Promise<void>;
}
