import { InvalidArgumentError } from 'commander';

const MS_BY_UNIT: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
};
const MAX_DAYS = 400;

/** Parses the value of an option: a whole number with a unit. @returns milliseconds */
export function parseDuration(text: string): number {
  const [, number = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const ms = Number(number) * (MS_BY_UNIT[unit] ?? NaN);
  if (number === '' || !(ms <= MAX_DAYS * 24 * 3_600_000))
    throw new InvalidArgumentError(
      `A number with the unit s, m, h or d, such as 30s or 15m; up to ${MAX_DAYS}d.`,
    );
  return ms;
}
