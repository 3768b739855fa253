import { isRetryDue } from './retry-due.js';

const MINUTE_MS = 60_000;
const NOW = new Date('2026-03-02T12:00:00Z');
const before = (minutes: number): string => new Date(NOW.getTime() - minutes * MINUTE_MS).toISOString();

it.each([
  ['a missing channel that the gateway lists now', 'channel-missing', 1, undefined, true, true],
  ['a missing channel that it does not list', 'channel-missing', 1, undefined, false, false],
  ['a missing channel, retried a minute ago', 'channel-missing', 9, 1, true, false],
  ['a configuration that may allow the event now', 'configuration', 0, undefined, true, true],
  ['a message that was too large an hour ago', 'too-large', 60, undefined, true, false],
  ['a message that was too large seven hours ago', 'too-large', 420, undefined, true, true],
  ['another cause', undefined, 420, undefined, true, false],
] as const)('%s', (_, cause, failed, retried, permits, expected) => {
  const letter = {
    cause,
    deadLetteredAt: before(failed),
    ...(retried !== undefined && { retriedAt: before(retried) }),
  };
  expect(isRetryDue(letter, permits, NOW)).toBe(expected);
});
