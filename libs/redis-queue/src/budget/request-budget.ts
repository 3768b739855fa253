import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { TimeoutError, withTimeout } from '@ssb/net';
import type { BudgetStore } from './budget-store.js';

/** There is no room in time, or too many requests wait already. Nothing was sent. */
export class BudgetExhaustedError extends Error {
  override readonly name = 'BudgetExhaustedError';
  constructor(
    readonly budget: string,
    readonly reason: 'too-long' | 'too-many-waiting',
    /** When there may be room; undefined when that is not known. */
    readonly retryAfterMs: number | undefined,
  ) {
    const hint =
      retryAfterMs === undefined ? '' : `; room in ${Math.ceil(retryAfterMs / 1_000)} s at the soonest`;
    super(`the request budget ${budget} is used up (${reason})${hint}`);
  }
}

/** The store is unavailable. Nothing was sent, since it might exceed the budget. */
export class BudgetUnavailableError extends Error {
  override readonly name = 'BudgetUnavailableError';
  constructor(
    readonly budget: string,
    options: ErrorOptions,
  ) {
    super(`the request budget ${budget} is not available`, options);
  }
}

/** Pause after a 429 without `Retry-After`. */
const DEFAULT_PAUSE_MS = 60_000;
/** Minimum pause after a 429, whatever the server says. */
const MIN_PAUSE_MS = 5_000;

/** The right to send one request now. */
export interface RequestPermit {
  /** The request is over, with any result. Does not block and does not throw; harmless when repeated. */
  release(): void;
}

/** Times in milliseconds. */
export interface RequestBudgetOptions {
  /** Named in errors. */
  readonly name: string;
  readonly store: BudgetStore;
  /** Maximum duration of a request: an unreleased permit counts for this time. Default 60,000. */
  readonly maxRequestMs?: number;
  /** Maximum wait for room. Default 60,000. */
  readonly maxWaitMs?: number;
  /** Maximum number of waiting requests. Default 1,000. */
  readonly maxWaiting?: number;
  /** Time-out of the store. Default 5,000. */
  readonly storeTimeoutMs?: number;
  /** Maximum pause after a 429, whatever the server says. Default 3,600,000. */
  readonly maxPauseMs?: number;
  /** Called when a request has to wait for room or for the end of a pause. */
  readonly onDelayed?: () => void;
  /** Called when the store did not record the end of a request. It then counts for `maxRequestMs`. */
  readonly onError?: (error: unknown) => void;
}

/**
 * The requests that a server allows. Within this process, waiting requests are served in their order. When the store is unavailable, no
 * request is sent.
 */
export class RequestBudget {
  private waiting = 0;
  /** Resolves when all earlier requests have left the queue. */
  private queueTail: Promise<void> = Promise.resolve();

  constructor(private readonly options: RequestBudgetOptions) {}

  /**
   * Waits until one request may be sent. The caller releases the permit when the request is over.
   * @throws BudgetExhaustedError there is no room within the maximum wait (at once when that is known), or too many requests wait
   * @throws BudgetUnavailableError the store is unavailable
   * @throws the signal's reason once it is aborted
   */
  async acquire(signal?: AbortSignal): Promise<RequestPermit> {
    const { name, maxWaitMs = 60_000, maxWaiting = 1_000 } = this.options;
    signal?.throwIfAborted();
    if (this.waiting >= maxWaiting) throw new BudgetExhaustedError(name, 'too-many-waiting', undefined);
    const deadline = performance.now() + maxWaitMs;
    const previous = this.queueTail;
    let leaveQueue = (): void => undefined;
    const left = new Promise<void>((resolve) => (leaveQueue = resolve));
    this.queueTail = previous.then(() => left);
    this.waiting += 1;
    try {
      await withTimeout(previous, maxWaitMs, signal);
      return await this.acquireFromStore(deadline, signal);
    } catch (error) {
      throw error instanceof TimeoutError ? new BudgetExhaustedError(name, 'too-long', undefined) : error;
    } finally {
      this.waiting -= 1;
      leaveQueue();
    }
  }

  /**
   * Pauses all requests after a 429, for the time of its `Retry-After` within bounds. Never shortens a pause.
   * @throws BudgetUnavailableError the store is unavailable
   */
  async pause(retryAfterMs: number | undefined): Promise<void> {
    const { store, maxPauseMs = 3_600_000 } = this.options;
    const requestedMs = Math.max(retryAfterMs ?? DEFAULT_PAUSE_MS, MIN_PAUSE_MS);
    await this.waitForStore(store.pause(Math.min(requestedMs, maxPauseMs)));
  }

  private async acquireFromStore(deadline: number, signal?: AbortSignal): Promise<RequestPermit> {
    const { name, store, maxRequestMs = 60_000, onDelayed } = this.options;
    const id = randomUUID();
    for (let isFirst = true; ; isFirst = false) {
      const acquired = store.tryAcquire(id, maxRequestMs);
      const waitMs = await this.waitForStore(acquired, signal).catch((error: unknown) => {
        this.releaseLater(id, acquired);
        throw error;
      });
      if (waitMs === 0) return { release: () => this.release(id) };
      if (isFirst) onDelayed?.();
      if (performance.now() + waitMs > deadline) throw new BudgetExhaustedError(name, 'too-long', waitMs);
      await delay(waitMs, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /** @throws BudgetUnavailableError, or the signal's reason */
  private async waitForStore<T>(response: Promise<T>, signal?: AbortSignal): Promise<T> {
    const { name, storeTimeoutMs = 5_000 } = this.options;
    try {
      return await withTimeout(response, storeTimeoutMs, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new BudgetUnavailableError(name, { cause });
    }
  }

  private release(id: string): void {
    const { store, onError } = this.options;
    store.release(id).catch((error: unknown) => onError?.(error));
  }

  /** The caller no longer waits: a request that the store counts later is released. */
  private releaseLater(id: string, acquired: Promise<number>): void {
    acquired.then(
      (waitMs) => {
        if (waitMs === 0) this.release(id);
      },
      // `waitForStore` has reported the failure.
      () => undefined,
    );
  }
}
