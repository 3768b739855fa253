/** A size such as `6.2 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes}\u00a0B`;
  return bytes < 1_000_000
    ? `${(bytes / 1_000).toFixed(1)}\u00a0kB`
    : `${(bytes / 1_000_000).toFixed(1)}\u00a0MB`;
}
