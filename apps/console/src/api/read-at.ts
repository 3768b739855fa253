interface Read {
  readonly dataUpdatedAt: number;
}

/** When the oldest of several queries was read; zero until all were read. */
export function oldestOf(...queries: readonly Read[]): number {
  return Math.min(...queries.map(({ dataUpdatedAt }) => dataUpdatedAt));
}
