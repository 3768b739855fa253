import { isStuck } from './queue-monitor.js';

describe('isStuck', () => {
  it.each([
    ['a job waits and nothing moves', 61_000, 61_000, true],
    ['a job waits while others are processed', 61_000, 10, false],
    ['nothing moves because nothing waits', 0, 900_000, false],
    ['exactly at the limit', 60_000, 60_000, false],
  ])('%s', (_, oldestWaitingMs, sinceProgressMs, expected) => {
    expect(isStuck({ oldestWaitingMs, sinceProgressMs }, 60_000)).toBe(expected);
  });
});
