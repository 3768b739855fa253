import { setImmediate as turn } from 'node:timers/promises';
import { eachBounded } from './for-each-concurrently.js';

describe('eachBounded', () => {
  it('does every item, never more than the limit at once', async () => {
    const done: number[] = [];
    let current = 0;
    let most = 0;
    await eachBounded([1, 2, 3, 4, 5, 6, 7, 8, 9], 4, async (item) => {
      most = Math.max(most, ++current);
      await turn();
      current -= 1;
      done.push(item);
    });
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(most).toBe(4);
  });

  it('goes on after a failure and hands it back', async () => {
    const done: number[] = [];
    const failures = await eachBounded([1, 2, 3], 1, async (item) => {
      if (item === 2) throw new Error('two');
      done.push(item);
    });
    expect(done).toEqual([1, 3]);
    expect(failures).toEqual([new Error('two')]);
  });

  it('leaves the rest undone once it may not go on', async () => {
    const done: number[] = [];
    const work = async (item: number): Promise<void> => {
      if (item === 2) throw new Error('two');
      done.push(item);
    };
    await eachBounded([1, 2, 3, 4], 1, work, (failures) => failures.length === 0);
    expect(done).toEqual([1]);
  });
});
