import { countProblems, describeCounts } from './count-problems.js';

it('counts open problems by severity, and the others by what became of them', () => {
  const counts = countProblems([
    { state: 'open', severity: 'warning' },
    { state: 'open', severity: 'warning' },
    { state: 'acknowledged', severity: 'critical' },
    { state: 'resolved', severity: 'critical' },
    { state: 'closed', severity: 'info' },
  ]);
  expect(counts.map(({ label, count }) => `${count} ${label}`)).toEqual([
    '0 critical',
    '2 warning',
    '1 acknowledged',
    '2 ended',
  ]);
});

it('counts in one line', () => {
  const rows = [
    { state: 'acknowledged', severity: 'critical' },
    { state: 'open', severity: 'warning' },
  ] as const;
  expect(describeCounts(rows, false)).toBe('1 warning, 1 acknowledged');
  expect(describeCounts(rows, true)).toBe('more than 2');
  expect(describeCounts([], false)).toBe('');
});

it('says nothing of no problem', () => {
  expect(countProblems([])).toEqual([]);
});
