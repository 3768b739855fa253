import { tryParseDuration } from '@ssb/config/duration';
import { InvalidArgumentError } from 'commander';

const MAX_DAYS = 400;

/** Parses the value of an option: a whole number with a unit. @returns milliseconds */
export function parseDuration(text: string): number {
  const ms = tryParseDuration(text);
  if (ms === undefined || ms > MAX_DAYS * 24 * 3_600_000)
    throw new InvalidArgumentError(
      `A number with the unit s, m, h or d, such as 30s or 15m; up to ${MAX_DAYS}d.`,
    );
  return ms;
}
