/**
 * When the oldest data of a page were read, as `readAt` of the page. Queries that have read nothing yet do not count.
 * @returns epoch milliseconds; zero while nothing was read
 */
export function oldestOf(...queries: readonly { readonly dataUpdatedAt: number }[]): number {
  const times = queries.map(({ dataUpdatedAt }) => dataUpdatedAt).filter((time) => time > 0);
  return times.length === 0 ? 0 : Math.min(...times);
}
