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
