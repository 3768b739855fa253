import { overdueAfterMs } from './poll-overdue.js';

it.each([
  ['three intervals', 15_000, 10_000, 45_000],
  ['three request timeouts, for a shorter interval', 250, 10_000, 30_000],
])('a poll is overdue after %s', (_, intervalMs, requestTimeoutMs, expected) => {
  expect(overdueAfterMs({ intervalMs, requestTimeoutMs })).toBe(expected);
});
