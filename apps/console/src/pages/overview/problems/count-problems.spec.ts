import { countProblems } from './count-problems.js';

it('counts by severity, the worst first', () => {
  const problems = (['warning', 'critical', 'warning'] as const).map((severity) => ({ severity }));
  expect(countProblems(problems, undefined)).toBe('All: 1 critical, 2 warning');
  expect(countProblems(problems, 'cursor')).toBe('All, more than 3');
  expect(countProblems([], undefined)).toBe('All problems');
});
