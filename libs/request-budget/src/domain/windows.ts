/** At most so many requests within any stretch of time of this length. */
export interface BudgetWindow {
  readonly requests: number;
  readonly ms: number;
}

/** A window of nothing, or of no time, is a mistake of whoever set it. */
export class InvalidBudgetError extends Error {
  override readonly name = 'InvalidBudgetError';
  constructor(readonly window: BudgetWindow) {
    super(`a budget window takes whole numbers above 0, not ${window.requests} requests in ${window.ms} ms`);
  }
}

/** @throws InvalidBudgetError */
export function checkWindows(windows: readonly BudgetWindow[]): void {
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;
  for (const window of windows)
    if (!isCount(window.requests) || !isCount(window.ms)) throw new InvalidBudgetError(window);
}

/**
 * How long until one more request may be sent so that no window is ever over, wherever it is laid.
 *
 * When a request reaches the server is not known here, only that it does so between the permit and the answer. So a request counts from the
 * *latest* moment at which it may have arrived, and the next one is let go no sooner than a whole window after that: were there one too many
 * in some window, the last of them would have been given its permit while all the others still counted.
 *
 * @param latest for each request sent, in ascending order, the latest moment at which it may have arrived; in the future while no answer
 *   has come. Milliseconds, as `now`.
 * @returns milliseconds; 0 when it may be sent now. A lower bound where requests without an answer stand in the way: ask again then.
 */
export function waitForTurn(
  latest: readonly number[],
  windows: readonly BudgetWindow[],
  now: number,
): number {
  return Math.max(0, ...windows.map((window) => waitFor(latest, window, now)));
}

function waitFor(latest: readonly number[], { requests, ms }: BudgetWindow, now: number): number {
  // The one that has to leave the window first for there to be room.
  const blocking = latest.at(-requests);
  if (latest.length < requests || blocking === undefined) return 0;
  // One under way leaves no sooner than if it were answered now.
  return Math.max(0, Math.min(blocking, now) + ms - now);
}
