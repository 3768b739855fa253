import { isStuck, waitingSince } from './waiting-since.js';

describe('waitingSince', () => {
  it.each([
    ['never tried', { timestamp: 1_000, delay: 0 }, 1_000],
    ['tried, back at once', { timestamp: 1_000, processedOn: 9_000, delay: 0 }, 9_000],
    ['tried, in backoff', { timestamp: 1_000, processedOn: 9_000, delay: 500 }, 9_500],
  ])('%s', (_, times, expected) => {
    expect(waitingSince(times)).toBe(expected);
  });
});

describe('isStuck', () => {
  it.each([
    ['a job waits and nothing moves', 61_000, 61_000, true],
    ['a job waits while others are worked off', 61_000, 10, false],
    ['nothing moves because nothing waits', 0, 900_000, false],
    ['exactly at the limit', 60_000, 60_000, false],
  ])('%s', (_, oldestWaitingMs, sinceProgressMs, expected) => {
    expect(isStuck({ oldestWaitingMs, sinceProgressMs }, 60_000)).toBe(expected);
  });
});
