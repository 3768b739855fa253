import { describeDatabaseError } from '../database/retry-database.js';

/** Whether the batches of a receiver are stored, for the health checks of the process. */
export class StorageHealth {
  private error: unknown;
  private failedAt = -Infinity;
  /** When each batch that is not stored yet was taken, oldest first; milliseconds of `performance.now()`. */
  private readonly takenAt = new Set<{ readonly at: number }>();

  /** Watches a batch until it is stored or given up. */
  async watch<T>(store: () => Promise<T>): Promise<T> {
    const taken = { at: performance.now() };
    this.takenAt.add(taken);
    try {
      return await store();
    } finally {
      this.takenAt.delete(taken);
    }
  }

  noteFailure(error: unknown): void {
    this.error = error;
    this.failedAt = performance.now();
  }

  noteSuccess(): void {
    this.error = undefined;
  }

  /** @throws Error with the reason while messages cannot be stored, for example on a full disk */
  assertStorage(): void {
    if (this.error === undefined) return;
    throw new Error(`Messages cannot be stored: ${describeDatabaseError(this.error)}`);
  }

  /**
   * Each attempt to write has a timeout, so a database that does not respond shows as a failure and never as a blocked batch.
   * @throws Error when a batch was neither stored nor refused by the database for longer than the limit
   */
  assertProgress(limitMs: number): void {
    const [oldest] = this.takenAt;
    if (oldest === undefined) return;
    const blockedMs = performance.now() - Math.max(oldest.at, this.failedAt);
    if (blockedMs > limitMs)
      throw new Error(
        `Messages were taken ${Math.round(blockedMs / 1_000)} s ago and are neither stored nor refused, although the database responds`,
      );
  }
}
