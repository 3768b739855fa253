import { oldestOf } from './oldest-of.js';

it.each([
  [[], 0],
  [[0, 0], 0],
  [[30, 0, 20], 20],
])('of readings at %j the oldest is %s', (times, oldest) => {
  expect(oldestOf(...times.map((dataUpdatedAt) => ({ dataUpdatedAt })))).toBe(oldest);
});
