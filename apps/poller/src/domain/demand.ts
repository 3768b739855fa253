/** What polls of one kind ask of the market. */
export interface Demand {
  /** Time between the beginnings of two polls, milliseconds. */
  readonly intervalMs: number;
  /** Most requests of one poll. */
  readonly requests: number;
}

/** At most so many requests within any stretch of time of this length. */
export interface Allowance {
  readonly requests: number;
  readonly ms: number;
}

/** Most requests that these polls make within a stretch of time of this length, wherever it is laid. */
export function mostRequests({ intervalMs, requests }: Demand, ms: number): number {
  // Both ends count: five polls begin within a minute when they are a quarter of it apart.
  return requests * (Math.floor(ms / intervalMs) + 1);
}

/** The allowances that these polls together can use up, so that some poll has to wait or is put off. */
export function tooSmallFor(demands: readonly Demand[], allowances: readonly Allowance[]): Allowance[] {
  return allowances.filter(
    ({ requests, ms }) => demands.reduce((sum, demand) => sum + mostRequests(demand, ms), 0) > requests,
  );
}
