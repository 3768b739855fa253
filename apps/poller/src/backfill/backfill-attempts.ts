import type { MarketInterface } from '@ssb/events';
import { backoffDelayMs, type Backoff } from '@ssb/net';
import { describeFailure } from '../faults/failure-classification.js';
import { MAX_RETRY_AFTER_MS } from '../faults/throttling.js';
import {
  isTooManyRequests,
  isUnusableResponse,
  maxRetryAfterMs,
  StoppingError,
} from '../polls/poll-failures.js';
import type { BeforeRequest } from './backfill-detections.js';

/** The backfill ends here: the lease was lost, the request was paused or replaced, or the app shuts down. */
export class BackfillInterruptedError extends Error {
  override readonly name = 'BackfillInterruptedError';

  constructor() {
    super('the backfill was interrupted');
  }
}

export interface BackfillAttemptsOptions {
  /** Between two requests, milliseconds: BACKFILL_REQUEST_INTERVAL_MS. */
  readonly requestIntervalMs: number;
  /** Waits, and rejects with BackfillInterruptedError as soon as the backfill must end. */
  readonly pause: (ms: number) => Promise<void>;
  /** Reports what the backfill waits for. */
  readonly reportWait: (waitingFor: string) => Promise<void>;
  /** Whether the request budget has room beside the polls. */
  readonly hasSpareRequest: (name: MarketInterface) => Promise<boolean>;
  /** Sends a small request. */
  readonly probe: (name: MarketInterface, beforeRequest: BeforeRequest) => Promise<void>;
}

/** The result, or the reason why the record is skipped. */
type AttemptResult<T> = { readonly value: T } | { readonly failure: string };

/** About 45 s with the default interval. */
const MAX_ATTEMPTS = 4;
/** Pause after the first failure, in request intervals. */
const RETRY_INTERVALS = 2;
const MAX_RETRY_MS = 300_000;
const BUDGET_CHECK_INTERVAL_MS = 1_000;
/** In request intervals: after this time without room, 5 minutes by default, a request waits for the budget as those of the polls do. */
const MAX_BUDGET_WAIT_INTERVALS = 100;

/** Sends the requests of a backfill one by one, and repeats those that fail. */
export class BackfillAttempts {
  private readonly retry: Backoff;

  constructor(private readonly options: BackfillAttemptsOptions) {
    this.retry = { baseMs: RETRY_INTERVALS * options.requestIntervalMs, maxMs: MAX_RETRY_MS };
  }

  /**
   * Repeats requests until they succeed. The requests for one record are given up after some attempts, if the interface responds to another
   * request.
   * @throws BackfillInterruptedError
   */
  async repeat<T>(
    name: MarketInterface,
    send: (beforeRequest: BeforeRequest) => Promise<T>,
  ): Promise<AttemptResult<T>> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.attempt(send);
      if ('value' in result) return result;
      const { error, reason } = result;
      if (isUnusableResponse(error)) return { failure: reason };
      await this.options.reportWait(reason);
      const isRecordAtFault = attempt >= MAX_ATTEMPTS && !isTooManyRequests(error);
      if (isRecordAtFault && (await this.hasResponse(name))) return { failure: reason };
      await this.options.pause(this.pauseAfter(error, attempt));
    }
  }

  /** Repeats a request that is never given up. @throws BackfillInterruptedError */
  async repeatUntilUsable<T>(send: (beforeRequest: BeforeRequest) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.attempt(send);
      if ('value' in result) return result.value;
      await this.options.reportWait(result.reason);
      await this.options.pause(this.pauseAfter(result.error, attempt));
    }
  }

  private async attempt<T>(
    send: (beforeRequest: BeforeRequest) => Promise<T>,
  ): Promise<{ readonly value: T } | { readonly error: unknown; readonly reason: string }> {
    try {
      return { value: await send(this.beforeRequest) };
    } catch (error) {
      if (isInterruption(error)) throw new BackfillInterruptedError();
      return { error, reason: describeFailure(error) };
    }
  }

  private readonly beforeRequest: BeforeRequest = async (name) => {
    const { pause, requestIntervalMs, hasSpareRequest, reportWait } = this.options;
    await pause(requestIntervalMs);
    const checkMs = Math.min(BUDGET_CHECK_INTERVAL_MS, requestIntervalMs);
    for (let left = MAX_BUDGET_WAIT_INTERVALS * requestIntervalMs; left > 0; left -= checkMs) {
      if (await hasSpareRequest(name)) return;
      await reportWait('room in the request budget');
      await pause(checkMs);
    }
  };

  private async hasResponse(name: MarketInterface): Promise<boolean> {
    try {
      await this.options.probe(name, this.beforeRequest);
      return true;
    } catch (error) {
      if (isInterruption(error)) throw new BackfillInterruptedError();
      return isUnusableResponse(error);
    }
  }

  private pauseAfter(error: unknown, attempt: number): number {
    const retryAfterMs = Math.min(maxRetryAfterMs([error]), MAX_RETRY_AFTER_MS.settlement);
    return Math.max(retryAfterMs, backoffDelayMs(attempt, this.retry, Math.random()));
  }
}

function isInterruption(error: unknown): boolean {
  return error instanceof BackfillInterruptedError || error instanceof StoppingError;
}
