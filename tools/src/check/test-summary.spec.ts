import {
  addSummaries,
  deploymentSeconds,
  formatSummary,
  summarizeCheck,
  summarizeJest,
} from './test-summary.js';

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

it('adds the durations of the test files of the deployment', () => {
  const testResults = [
    'tools/dist/deploy/a.spec.js',
    'tools/dist/docs/chart/b.spec.js',
    'apps/c.spec.js',
  ].map((name, index) => ({ name: `/repository/${name}`, startTime: 1_000, endTime: 2_000 + index * 1_500 }));
  expect(deploymentSeconds(JSON.stringify({ testResults }))).toBe(3.5);
  expect(deploymentSeconds(undefined)).toBe(0);
});
