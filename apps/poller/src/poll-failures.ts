import {
  ReportingForbiddenError,
  ReportingUnavailableError,
  TokenRefusedError,
  TokenUnavailableError,
} from '@ssb/market';

/** The reporting API answered well-formed, but with something that must not be used. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError';

  constructor(
    readonly subject: string,
    readonly reason: string,
  ) {
    super(`the answer for ${subject} is not used: ${reason}`);
  }
}

/** Some statements or invoices could not be asked for; the others were. */
export class AsksFailedError extends Error {
  override readonly name = 'AsksFailedError';

  constructor(readonly failures: readonly unknown[]) {
    super(`${failures.length} of the asks failed`);
  }
}

/** The app is being stopped: what waited for the request budget has asked nothing. */
export class StoppingError extends Error {
  override readonly name = 'StoppingError';

  constructor() {
    super('stopping: nothing more is asked');
  }
}

/** The failures behind a failed poll: those of its asks, or the one that ended it. */
export function failuresOf(error: unknown): readonly unknown[] {
  return error instanceof AsksFailedError ? error.failures : [error];
}

/** The longest pause that a server asked for by `Retry-After`, milliseconds; 0 when none did. */
export function longestRetryAfter(failures: readonly unknown[]): number {
  return Math.max(
    0,
    ...failures.map((failure) =>
      failure instanceof Error && 'retryAfterMs' in failure && typeof failure.retryAfterMs === 'number'
        ? failure.retryAfterMs
        : 0,
    ),
  );
}

/**
 * Whether the market failed the poll as a whole, or said that it is asked too often: a reason to ask less. A single statement that cannot be
 * had is none.
 */
export function isMarketTrouble(error: unknown): boolean {
  if (error instanceof AsksFailedError)
    return error.failures.some((each) => each instanceof ReportingUnavailableError && each.status === 429);
  return (
    error instanceof ReportingUnavailableError ||
    error instanceof ReportingForbiddenError ||
    error instanceof TokenUnavailableError ||
    error instanceof TokenRefusedError
  );
}
