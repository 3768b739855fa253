import {
  allowConsumer,
  chooseFrom,
  MAX_CONSUMERS_A_DAY,
  MIN_INTERVAL_BEYOND_LIMIT_MS,
} from './consumer-allowance.js';

const NOW = Date.parse('2026-03-02T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const every = (count: number, ms: number): number[] =>
  Array.from({ length: count }, (_, at) => NOW - at * ms);

describe('allowConsumer', () => {
  it('allows ten in a day at once', () => {
    expect(allowConsumer([], NOW)).toEqual({ waitMs: 0, limitedForMs: 0 });
    expect(allowConsumer(every(MAX_CONSUMERS_A_DAY - 1, 1), NOW)).toEqual({ waitMs: 0, limitedForMs: 0 });
    const old = every(20, HOUR_MS).map((at) => at - 24 * HOUR_MS);
    expect(allowConsumer(old, NOW)).toEqual({ waitMs: 0, limitedForMs: 0 });
  });

  it('allows further ones at a lower rate, until the day of the tenth is over', () => {
    const [newest, ...older] = every(MAX_CONSUMERS_A_DAY, HOUR_MS);
    expect(allowConsumer([...older, newest ?? 0], NOW + 60_000)).toEqual({
      waitMs: MIN_INTERVAL_BEYOND_LIMIT_MS - 60_000,
      limitedForMs: 15 * HOUR_MS - 60_000,
    });
    expect(allowConsumer([...older, newest ?? 0], NOW + HOUR_MS)).toMatchObject({ waitMs: 0 });
  });

  it('does not count times in the future, because a clock that was set back would stop all reading', () => {
    const future = every(20, 1).map((at) => at + 365 * 24 * HOUR_MS);
    expect(allowConsumer(future, NOW)).toEqual({ waitMs: 0, limitedForMs: 0 });
  });
});

describe('chooseFrom', () => {
  it('begins up to a minute before the start', () => {
    expect(chooseFrom(NOW, 0)).toBe(NOW);
    expect(chooseFrom(NOW, 0.5)).toBe(NOW - 30_000);
  });

  it('differs at the beginning of a channel too, where another subscriber may have read', () => {
    expect(chooseFrom(0, 0)).toBe(0);
    expect(new Date(chooseFrom(0, 0.999)).getUTCFullYear()).toBe(1999);
  });
});
