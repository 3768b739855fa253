import { FailureCounters } from './failure-counters.js';

const LIMITS = { free: 2, minPauseMs: 1_000, maxPauseMs: 4_000, forgetOneMs: 10_000, capacity: 3 };
const NOW = 1_000_000;

function afterFailures(count: number): FailureCounters {
  const counters = new FailureCounters(LIMITS);
  for (let index = 0; index < count; index += 1) counters.count('a', NOW);
  return counters;
}

describe('failures', () => {
  it.each([
    [0, 0],
    [2, 0],
    [3, 1_000],
    [4, 2_000],
    [5, 4_000],
    [50, 4_000],
  ])('%i at once cause a pause of %i ms', (failures, pause) => {
    expect(afterFailures(failures).pauseFor('a', NOW)).toBe(pause);
  });

  it('cause a pause that ends', () => {
    const counters = afterFailures(3);
    expect(counters.pauseFor('a', NOW + 400)).toBe(600);
    expect(counters.pauseFor('a', NOW + 1_000)).toBe(0);
  });

  // Five failures, of which one is forgotten every ten seconds; then one more.
  it.each([
    [9_999, 4_000],
    [10_000, 4_000],
    [20_000, 2_000],
    [30_000, 1_000],
    [40_000, 0],
    [50_000, 0],
    [9e15, 0],
  ])('are forgotten one by one: the sixth after %i ms causes a pause of %i ms', (later, pause) => {
    const counters = afterFailures(5);
    counters.count('a', NOW + later);
    expect(counters.pauseFor('a', NOW + later)).toBe(pause);
  });

  it('that continue cause the maximum pause each time', () => {
    const counters = afterFailures(5);
    const pauses = Array.from({ length: 20 }, (_, n) => {
      counters.count('a', NOW + n * LIMITS.forgetOneMs);
      return counters.pauseFor('a', NOW + n * LIMITS.forgetOneMs);
    });
    expect(new Set(pauses)).toEqual(new Set([LIMITS.maxPauseMs]));
  });

  it('are not forgotten when the clock goes back', () => {
    const counters = afterFailures(3);
    counters.count('a', NOW - 1_000_000);
    expect(counters.pauseFor('a', NOW - 1_000_000)).toBe(2_000);
  });

  it('have no effect once they are forgotten, and none on other names', () => {
    const counters = afterFailures(5);
    expect([counters.isFree('a', NOW), counters.isFree('b', NOW), counters.pauseFor('b', NOW)]).toEqual([
      false,
      true,
      0,
    ]);
    counters.forget('a');
    expect([counters.isFree('a', NOW), counters.pauseFor('a', NOW)]).toEqual([true, 0]);
  });

  it('are kept for no more names than the capacity, and the oldest are evicted first', () => {
    const counters = afterFailures(5);
    for (const name of ['b', 'c', 'a', 'd']) counters.count(name, NOW);
    expect(counters.size).toBe(3);
    for (const name of ['b', 'b']) counters.count(name, NOW);
    expect([counters.pauseFor('a', NOW), counters.pauseFor('b', NOW)]).toEqual([4_000, 0]);
  });
});
