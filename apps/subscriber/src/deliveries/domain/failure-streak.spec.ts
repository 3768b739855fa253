import { addFailure, isFailing, probeDelayMs } from './failure-streak.js';

it('a sink fails after three attempts in a row, since the first one', () => {
  const two = addFailure(addFailure(undefined, 1_000), 2_000);
  expect(isFailing(two)).toBe(false);
  expect(addFailure(two, 3_000)).toEqual({ failures: 3, since: 1_000 });
  expect(isFailing(addFailure(two, 3_000))).toBe(true);
});

it.each([
  ['soon at first', 1, 0, 500, 1_000],
  ['within 15 seconds after a long failure', 1_000, 0, 7_000, 14_000],
  ['within 15 seconds after a probe that timed out', 1_000, 10_000, 500, 4_000],
])('probes %s', (_, failures, durationMs, min, max) => {
  expect(probeDelayMs(failures, durationMs, 0)).toBe(min);
  expect(probeDelayMs(failures, durationMs, 1)).toBe(max);
});
