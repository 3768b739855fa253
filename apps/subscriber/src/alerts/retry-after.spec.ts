import { retryAfterMs } from './retry-after.js';

const NOW = new Date('2026-03-02T00:00:00Z');

describe('retryAfterMs', () => {
  it.each([
    ['120', 120_000],
    ['0', 0],
    ['Mon, 02 Mar 2026 00:00:30 GMT', 30_000],
    ['Sun, 01 Mar 2026 23:59:00 GMT', 0],
    ['soon', undefined],
    [undefined, undefined],
  ])('%s', (header, expected) => {
    expect(retryAfterMs(header, NOW)).toBe(expected);
  });
});
