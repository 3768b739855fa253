import { tryParseDuration } from '@ssb/config/duration';
import { InvalidArgumentError } from 'commander';
import { parseTimeWithZone } from '../options.js';

const DAY_MS = 86_400_000;
const MAX_LIFETIME_DAYS = 731;

/** Parses how long a token is valid, such as `90d`, or until when. */
export function parseExpiry(text: string): Date {
  const now = Date.now();
  const lifetimeMs = tryParseDuration(text);
  const expiresAt = lifetimeMs === undefined ? Date.parse(parseTimeWithZone(text)) : now + lifetimeMs;
  if (expiresAt <= now || expiresAt > now + MAX_LIFETIME_DAYS * DAY_MS)
    throw new InvalidArgumentError(
      `A duration such as 90d, or a future time with its zone; at most ${MAX_LIFETIME_DAYS} days.`,
    );
  return new Date(expiresAt);
}
