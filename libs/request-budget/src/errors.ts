/** There is no room within the time, or too many wait already. Nothing was sent. */
export class BudgetExhaustedError extends Error {
  override readonly name = 'BudgetExhaustedError';
  constructor(
    readonly budget: string,
    readonly reason: 'too-long' | 'too-many-waiting',
    /** When there may be room; absent where that is not known. */
    readonly retryAfterMs: number | undefined,
  ) {
    const hint =
      retryAfterMs === undefined ? '' : `; room in ${Math.ceil(retryAfterMs / 1_000)} s at the soonest`;
    super(`the request budget ${budget} is used up (${reason})${hint}`);
  }
}

/** What is counted cannot be looked up now: nothing was sent, since it might be one too many. */
export class BudgetUnavailableError extends Error {
  override readonly name = 'BudgetUnavailableError';
  constructor(
    readonly budget: string,
    options: ErrorOptions,
  ) {
    super(`the request budget ${budget} cannot be asked`, options);
  }
}
