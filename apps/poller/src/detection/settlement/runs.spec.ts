import { earlierRun, endOfDay } from './runs.js';
import { day, RUN } from '../../../test/support/settlement.js';

it.each([
  ['INITIAL', undefined],
  ['ADJ1', 'INITIAL'],
  ['ADJ3', 'ADJ2'],
] as const)('the run before %s is %s', (designation, expected) => {
  expect(earlierRun({ ...RUN, designation })?.designation).toBe(expected);
});

it('a market day ends at 16:00 UTC', () => {
  expect(endOfDay(day('2026-03-12')).toISOString()).toBe('2026-03-12T16:00:00.000Z');
});
