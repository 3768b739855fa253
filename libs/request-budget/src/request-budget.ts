import { randomUUID } from 'node:crypto';
import { LATE, pauseFor, within } from './bounded-wait.js';
import type { BudgetStore } from './budget-store.js';
import { BudgetExhaustedError, BudgetUnavailableError } from './errors.js';

/** The right to send one request now. */
export interface RequestPermit {
  /** The request is over, whatever became of it. Does not block and does not throw; harmless when repeated. */
  settle(): void;
}

export interface RequestBudgetOptions {
  /** Named in errors. */
  readonly name: string;
  readonly store: BudgetStore;
  /** No request takes longer than this: what was not settled by then was cut off. Milliseconds; default 60,000. */
  readonly longestRequestMs?: number;
  /** Longest wait for room. Milliseconds; default 60,000. */
  readonly maxWaitMs?: number;
  /** Most that wait at a time; default 1,000. */
  readonly maxWaiting?: number;
  /** How long the store may take to answer. Milliseconds; default 5,000. */
  readonly storeTimeoutMs?: number;
  /** How long everybody pauses when a server that is asked too often does not say. Milliseconds; default 60,000. */
  readonly blindPauseMs?: number;
  /** A server that is asked too often is left alone for this long, however little it asks for. Milliseconds; default 5,000. */
  readonly shortestPauseMs?: number;
  /** A server that asks for a longer pause is not believed beyond this. Milliseconds; default 3,600,000. */
  readonly longestPauseMs?: number;
  /** Told when the store did not take a request's end: it then counts for `longestRequestMs`. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Requests that a server allows, handed out one by one. Waiters are served in the order in which they came, within this process; between
 * replicas whoever asks first once there is room. When the store is away nobody is given a permit: a polite client does not ask then.
 */
export class RequestBudget {
  private waiting = 0;
  private lastInLine: Promise<void> = Promise.resolve();

  constructor(private readonly options: RequestBudgetOptions) {}

  /**
   * Waits until one request may be sent. The caller settles the permit when the request is over.
   * @throws BudgetExhaustedError there is no room within the longest wait (at once where that is known), or too many wait
   * @throws BudgetUnavailableError the store does not answer
   * @throws the signal's reason once it is aborted
   */
  async take(signal?: AbortSignal): Promise<RequestPermit> {
    const { name, maxWaitMs = 60_000, maxWaiting = 1_000 } = this.options;
    signal?.throwIfAborted();
    if (this.waiting >= maxWaiting) throw new BudgetExhaustedError(name, 'too-many-waiting', undefined);
    const until = performance.now() + maxWaitMs;
    const before = this.lastInLine;
    let leave = (): void => undefined;
    const left = new Promise<void>((resolve) => (leave = resolve));
    this.lastInLine = before.then(() => left);
    this.waiting += 1;
    try {
      if ((await within(before, maxWaitMs, signal)) === LATE)
        throw new BudgetExhaustedError(name, 'too-long', undefined);
      return await this.takeInTurn(until, signal);
    } finally {
      this.waiting -= 1;
      leave();
    }
  }

  /**
   * The server said that it is asked too often: nobody asks for as long as it said, within the bounds of the options, or for a while where it
   * did not. Never shortens a pause.
   * @throws BudgetUnavailableError the store does not answer
   */
  async pause(retryAfterMs: number | undefined): Promise<void> {
    const {
      store,
      blindPauseMs = 60_000,
      shortestPauseMs = 5_000,
      longestPauseMs = 3_600_000,
    } = this.options;
    const asked = Math.max(retryAfterMs ?? blindPauseMs, shortestPauseMs);
    await this.ask(store.pause(Math.min(asked, longestPauseMs)));
  }

  private async takeInTurn(until: number, signal?: AbortSignal): Promise<RequestPermit> {
    const { name, store, longestRequestMs = 60_000 } = this.options;
    const id = randomUUID();
    for (;;) {
      const answer = store.take(id, longestRequestMs);
      const waitMs = await this.ask(answer, signal).catch((error: unknown) => {
        this.settleUnused(id, answer);
        throw error;
      });
      if (waitMs === 0) return { settle: () => this.settle(id) };
      if (performance.now() + waitMs > until) throw new BudgetExhaustedError(name, 'too-long', waitMs);
      await pauseFor(waitMs, signal);
    }
  }

  private async ask<T>(answer: Promise<T>, signal?: AbortSignal): Promise<T> {
    const { name, storeTimeoutMs = 5_000 } = this.options;
    let given: T | typeof LATE;
    try {
      given = await within(answer, storeTimeoutMs, signal);
    } catch (cause) {
      signal?.throwIfAborted();
      throw new BudgetUnavailableError(name, { cause });
    }
    if (given !== LATE) return given;
    throw new BudgetUnavailableError(name, { cause: new Error(`no answer within ${storeTimeoutMs} ms`) });
  }

  private settle(id: string): void {
    const { store, onError } = this.options;
    store.settle(id).catch((error: unknown) => onError?.(error));
  }

  /** Nobody waits for this answer any more; when the store has counted the request all the same, it is over. */
  private settleUnused(id: string, answer: Promise<number>): void {
    const settle = (waitMs: number): void => {
      if (waitMs === 0) this.settle(id);
    };
    // A failure was told already, where it was waited for.
    answer.then(settle, () => undefined);
  }
}
