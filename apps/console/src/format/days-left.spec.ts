import { describeDaysLeft, describeDistance } from './days-left.js';

it.each([
  ['2026-12-01', 'today', 'last day today'],
  ['2026-12-02', 'in 1 day', '1 day left'],
  ['2026-12-13', 'in 12 days', '12 days left'],
  ['2026-11-28', '3 days ago', 'ended 3 days ago'],
])('says how far %s is from 1 December', (day, distance, daysLeft) => {
  expect([describeDistance(day, '2026-12-01'), describeDaysLeft(day, '2026-12-01')]).toEqual([
    distance,
    daysLeft,
  ]);
});
