import { setImmediate as nextTick } from 'node:timers/promises';
import { forEachConcurrently } from './for-each-concurrently.js';

describe('forEachConcurrently', () => {
  it('processes every item, never more than the limit at once', async () => {
    const done: number[] = [];
    let current = 0;
    let max = 0;
    await forEachConcurrently([1, 2, 3, 4, 5, 6, 7, 8, 9], 4, async (item) => {
      max = Math.max(max, ++current);
      await nextTick();
      current -= 1;
      done.push(item);
    });
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(max).toBe(4);
  });

  it('continues after a failure and returns it', async () => {
    const done: number[] = [];
    const failures = await forEachConcurrently([1, 2, 3], 1, async (item) => {
      if (item === 2) throw new Error('two');
      done.push(item);
    });
    expect(done).toEqual([1, 3]);
    expect(failures).toEqual([new Error('two')]);
  });

  it('skips the remaining items once it may not continue', async () => {
    const done: number[] = [];
    const work = async (item: number): Promise<void> => {
      if (item === 2) throw new Error('two');
      done.push(item);
    };
    await forEachConcurrently([1, 2, 3, 4], 1, work, (failures) => failures.length === 0);
    expect(done).toEqual([1]);
  });
});
