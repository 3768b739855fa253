import { add, lastLine, tallyOfCheck, tallyOfJest } from './test-summary.js';

it.each([
  ['all passed', '{"numPassedTests":7,"numFailedTests":0}', true, '7 passed, 0 failed'],
  ['some failed', '{"numPassedTests":7,"numFailedTests":2}', false, '7 passed, 2 failed'],
  ['a file did not load', '{"numPassedTests":7,"numFailedTests":0}', false, '7 passed, 1 failed'],
  ['the run broke off', undefined, false, '0 passed, 1 failed'],
])('counts a run of which %s', (_, result, ok, line) => {
  expect(lastLine(tallyOfJest(result, ok))).toBe(line);
});

it('counts checks beside tests', () => {
  const checks = add(tallyOfCheck(true), tallyOfCheck(false));
  expect(lastLine(add(checks, { passed: 10, failed: 1 }))).toBe('11 passed, 2 failed');
});
