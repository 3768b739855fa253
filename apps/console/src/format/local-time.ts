/** The text of a field for a day and a time, such as `2026-11-30T17:30`, read as market time. Undefined while the field is empty. */
export function toMarketInstant(local: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(local) ? `${local.slice(0, 16)}:00+08:00` : undefined;
}
