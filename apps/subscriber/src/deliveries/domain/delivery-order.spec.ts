import { lowestClaimable, maxRunning } from './delivery-order.js';

it.each([
  [8, [8, 7, 6, 5]],
  [3, [3, 2, 1, 1]],
  [2, [2, 1, 1, 1]],
  [1, [1, 1, 1, 1]],
])(
  'of %i places, urgent deliveries, alerts, notices and replayed ones may use %j',
  (concurrency, expected) => {
    expect(([0, 1, 2, 3] as const).map((priority) => maxRunning(priority, concurrency))).toEqual(expected);
  },
);

it.each([
  ['nothing runs', 0, [], 3],
  ['the places of replayed ones are taken', 5, [], 2],
  ['the places of notices are taken', 6, [], 1],
  ['the places of alerts are taken', 7, [], 0],
  ['all places are taken', 8, [], undefined],
  ['notices wait for a place', 6, [2], 1],
  ['notices wait although places are free', 0, [2], 1],
  ['an urgent delivery waits', 0, [0], undefined],
] as const)('claims the right priorities when %s', (_, running, waiting, expected) => {
  expect(lowestClaimable(running, waiting, 8)).toBe(expected);
});
