/** At most this many requests within any period of this length. */
export interface BudgetWindow {
  readonly requests: number;
  readonly ms: number;
}

/** A budget window has no requests or no length. */
export class InvalidBudgetError extends Error {
  override readonly name = 'InvalidBudgetError';
  constructor(readonly window: BudgetWindow) {
    super(`a budget window takes whole numbers above 0, not ${window.requests} requests in ${window.ms} ms`);
  }
}

/** @throws InvalidBudgetError */
export function assertValidWindows(windows: readonly BudgetWindow[]): void {
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && value > 0;
  for (const window of windows)
    if (!isCount(window.requests) || !isCount(window.ms)) throw new InvalidBudgetError(window);
}

/**
 * How long until one more request may be sent without exceeding any window. A request reaches the server at an unknown time before its
 * response, so it counts from its latest possible arrival.
 * @param latestArrivals one for each request, ascending, in milliseconds as `now`; in the future while there is no response
 * @returns milliseconds; 0 when it may be sent now. While responses are missing it is a minimum: call again then.
 */
export function msUntilAllowed(
  latestArrivals: readonly number[],
  windows: readonly BudgetWindow[],
  now: number,
): number {
  return Math.max(0, ...windows.map((window) => msUntilRoom(latestArrivals, window, now)));
}

function msUntilRoom(latestArrivals: readonly number[], { requests, ms }: BudgetWindow, now: number): number {
  // The request that must leave the window first.
  const blocking = latestArrivals.at(-requests);
  if (latestArrivals.length < requests || blocking === undefined) return 0;
  // A request in flight leaves no sooner than if its response came now.
  return Math.max(0, Math.min(blocking, now) + ms - now);
}
