import { readSettings } from '@ssb/platform';
import { definition } from '../settings.js';
import { overdueAfterMs } from './poll-intervals.js';

it.each([
  ['three intervals', 15_000, 10_000, 45_000],
  ['three request timeouts, for a shorter interval', 250, 10_000, 30_000],
])('a poll is overdue after %s', (_, intervalMs, requestTimeoutMs, expected) => {
  const settings = readSettings(definition, {
    INTEGRITY_KEYS_FILE: 'integrity.keys',
    POLL_PRUDENTIAL_INTERVAL_MS: String(intervalMs),
    REQUEST_TIMEOUT_MS: String(requestTimeoutMs),
  });
  expect(overdueAfterMs(settings).prudential).toBe(expected);
});
