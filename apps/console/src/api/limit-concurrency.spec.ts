import { limitConcurrency } from './limit-concurrency.js';

it('runs at most so many tasks at once, also after one has failed', async () => {
  const limit = limitConcurrency(2);
  const started: number[] = [];
  const ends: (() => void)[] = [];
  const tasks = [0, 1, 2, 3].map((number) =>
    limit(
      () =>
        new Promise<number>((resolve, reject) => {
          started.push(number);
          ends.push(() => (number === 0 ? reject(new Error('failed')) : resolve(number)));
        }),
    ),
  );
  expect(started).toEqual([0, 1]);
  ends[0]?.();
  await expect(tasks[0]).rejects.toThrow('failed');
  expect(started).toEqual([0, 1, 2]);
  ends[2]?.();
  await expect(tasks[2]).resolves.toBe(2);
  expect(started).toEqual([0, 1, 2, 3]);
  ends[1]?.();
  ends[3]?.();
  await expect(Promise.all([tasks[1], tasks[3]])).resolves.toEqual([1, 3]);
});
