import { IntakeLimit } from './intake-limit.js';

it('takes the number of jobs at once, and no further ones while their data is too large', () => {
  const limit = new IntakeLimit(4, 1_000);
  limit.add('a', 400);
  limit.add('b', 700);
  expect([limit.concurrency, limit.isFull]).toEqual([2, true]);
  limit.remove('a');
  expect([limit.concurrency, limit.isFull]).toEqual([4, false]);
  for (const id of ['c', 'd', 'e']) limit.add(id, 1);
  expect([limit.concurrency, limit.isFull]).toEqual([4, true]);
});

it('takes a single job of any size', () => {
  const limit = new IntakeLimit(4, 1_000);
  expect([limit.concurrency, limit.isFull]).toEqual([4, false]);
  limit.add('a', 5_000);
  expect([limit.concurrency, limit.isFull]).toEqual([1, true]);
});
