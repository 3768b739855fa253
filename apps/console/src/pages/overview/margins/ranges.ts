const HOUR_MS = 3_600_000;

/** How far back the charts of the margin go. */
export const RANGES = [
  { name: '1h', label: '1 hour', ms: HOUR_MS },
  { name: '24h', label: '24 hours', ms: 24 * HOUR_MS },
  { name: '7d', label: '7 days', ms: 168 * HOUR_MS },
  { name: '31d', label: '31 days', ms: 744 * HOUR_MS },
] as const;
export type Range = (typeof RANGES)[number];

const DEFAULT: Range = RANGES[1];

/** The range that an address names; the usual one for any other text. */
export const findRange = (name: string | undefined): Range =>
  RANGES.find((range) => range.name === name) ?? DEFAULT;

/** Parts of a range after which the beginning of a chart moves. */
const PARTS = 24;

/** Where a chart begins. It moves in steps, so that the same address is read again. */
export function beginningOf({ ms }: Range, now: number): number {
  const step = ms / PARTS;
  return Math.floor(now / step) * step - ms;
}
