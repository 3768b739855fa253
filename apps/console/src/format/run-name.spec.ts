import { nameRun } from './run-name.js';

it('names a run by the first day of its period', () => {
  expect(nameRun({ market: 'WEM', periodFrom: '2026-09-13', designation: 'INITIAL' })).toBe(
    'WEM from Sun 13 Sep 2026, INITIAL',
  );
});
