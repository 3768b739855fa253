import type { MarketInterface } from '@ssb/events';
import { backoffDelayMs, type Backoff } from '@ssb/resilience';
import { describeFailure } from '../domain/failure-classification.js';
import {
  isTooManyRequests,
  isUnusableAnswer,
  MAX_RETRY_AFTER_MS,
  maxRetryAfterMs,
  StoppingError,
} from '../poll-failures.js';
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
  /** Shows what the backfill waits for. */
  readonly showWait: (waitingFor: string) => Promise<void>;
  /** Whether the request budget has room beside the polls. */
  readonly hasSpareRequest: (name: MarketInterface) => Promise<boolean>;
  /** Sends a small request. */
  readonly probe: (name: MarketInterface, before: BeforeRequest) => Promise<void>;
}

/** The result, or why one record cannot be fetched although the operator answers. */
export type AttemptResult<T> = { readonly value: T } | { readonly failure: string };

/** About 45 s with the default interval. */
const MAX_ATTEMPTS = 4;
/** In request intervals: the pause after the first failure. */
const RETRY_INTERVALS = 2;
const MAX_RETRY_MS = 300_000;
const BUDGET_CHECK_INTERVAL_MS = 1_000;

/** Sends the requests of a backfill one by one, and repeats those that fail. */
export class BackfillAttempts {
  private readonly retry: Backoff;

  constructor(private readonly options: BackfillAttemptsOptions) {
    this.retry = { baseMs: RETRY_INTERVALS * options.requestIntervalMs, maxMs: MAX_RETRY_MS };
  }

  /**
   * Repeats requests until they succeed. Those of one record are given up after some attempts, if the interface answers another request.
   * @throws BackfillInterruptedError
   */
  async repeat<T>(
    name: MarketInterface,
    send: (before: BeforeRequest) => Promise<T>,
  ): Promise<AttemptResult<T>> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { value: await send(this.before) };
      } catch (error) {
        if (isInterruption(error)) throw new BackfillInterruptedError();
        const reason = describeFailure(error);
        if (isUnusableAnswer(error)) return { failure: reason };
        await this.options.showWait(reason);
        const isOfRecord = attempt >= MAX_ATTEMPTS && !isTooManyRequests(error);
        if (isOfRecord && (await this.isAnswered(name))) return { failure: reason };
        await this.options.pause(this.pauseAfter(error, attempt));
      }
    }
  }

  private readonly before: BeforeRequest = async (name) => {
    const { pause, requestIntervalMs, hasSpareRequest, showWait } = this.options;
    await pause(requestIntervalMs);
    while (!(await hasSpareRequest(name))) {
      await showWait('room in the request budget');
      await pause(BUDGET_CHECK_INTERVAL_MS);
    }
  };

  private async isAnswered(name: MarketInterface): Promise<boolean> {
    try {
      await this.options.probe(name, this.before);
      return true;
    } catch (error) {
      if (isInterruption(error)) throw new BackfillInterruptedError();
      return isUnusableAnswer(error);
    }
  }

  private pauseAfter(error: unknown, attempt: number): number {
    const retryAfterMs = Math.min(maxRetryAfterMs([error]), MAX_RETRY_AFTER_MS);
    return Math.max(retryAfterMs, backoffDelayMs(attempt, this.retry, Math.random()));
  }
}

function isInterruption(error: unknown): boolean {
  return error instanceof BackfillInterruptedError || error instanceof StoppingError;
}
