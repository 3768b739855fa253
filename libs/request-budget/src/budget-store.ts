/**
 * Where requests are counted. Two implementations keep this contract (`budget-store.spec.ts` holds both to it): one in memory for a single
 * process, and one in Redis that all replicas share.
 */
export interface BudgetStore {
  /**
   * Counts one request if there is room for it, indivisibly. Does not wait for room.
   * @param id names the request; unique
   * @param holdMs the request counts as possibly under way for this long, unless `settle` says that it is over
   * @returns 0 when it is counted and may be sent; otherwise milliseconds after which asking again is worth it
   */
  take(id: string, holdMs: number): Promise<number>;
  /** The request is over: answered, failed, or never sent. Harmless when repeated, or unknown. */
  settle(id: string): Promise<void>;
  /** Nobody is given room for this long from now. Never shortens a pause. */
  pause(ms: number): Promise<void>;
}
