import { addSummaries, formatSummary, summarizeCheck, summarizeJest } from './test-summary.js';

it.each([
  ['all passed', '{"numPassedTests":7,"numFailedTests":0}', true, '7 passed, 0 failed'],
  ['some failed', '{"numPassedTests":7,"numFailedTests":2}', false, '7 passed, 2 failed'],
  ['a file did not load', '{"numPassedTests":7,"numFailedTests":0}', false, '7 passed, 1 failed'],
  ['Jest wrote no result', undefined, false, '0 passed, 1 failed'],
])('counts a Jest run: %s', (_, result, ok, line) => {
  expect(formatSummary(summarizeJest(result, ok))).toBe(line);
});

it('adds checks to tests', () => {
  const checks = addSummaries(summarizeCheck(true), summarizeCheck(false));
  expect(formatSummary(addSummaries(checks, { passed: 10, failed: 1 }))).toBe('11 passed, 2 failed');
});
