/**
 * Counts the requests of a budget in Redis, shared by all replicas. `budget-store.spec.ts` tests this contract on Redis and on an in-memory
 * model.
 */
export interface BudgetStore {
  /**
   * Counts one request atomically if every window has room for it. Does not wait for room.
   * @param id unique name of the request
   * @param holdMs the request counts as in flight for this long, unless `release` is called
   * @returns 0 when the request is counted and may be sent; otherwise the milliseconds to wait before the next call
   */
  tryAcquire(id: string, holdMs: number): Promise<number>;
  /** The request is over: it succeeded, failed, or was never sent. Harmless when repeated or unknown. */
  release(id: string): Promise<void>;
  /** Refuses all requests for this long from now. Never shortens a pause. */
  pause(ms: number): Promise<void>;
}
