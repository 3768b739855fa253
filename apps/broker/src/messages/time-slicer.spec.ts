import { setImmediate as nextTurn } from 'node:timers/promises';
import { EventLoopShare } from './time-slicer.js';

/** A share of three milliseconds, and work that takes so many, of a clock of its own. */
function aShare() {
  let now = 0;
  const done: string[] = [];
  const share = new EventLoopShare(() => now, 3);
  const work = (name: string, takes: number, request: object = share): Promise<string> =>
    share.run(request, () => {
      now += takes;
      done.push(name);
      return name;
    });
  return { share, done, work };
}

describe('the share of the event loop', () => {
  it('is used at once', async () => {
    const { done, work } = aShare();
    const first = work('a', 1);
    expect(done).toEqual(['a']);
    expect(await first).toBe('a');
  });

  it('ends before everything is done, and begins anew in the next turn, first come first served', async () => {
    const { done, work } = aShare();
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => work(name, 1));
    expect(done).toEqual(['a', 'b', 'c']);
    await nextTurn();
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    all.push(work('h', 1));
    expect(done).not.toContain('h');
    await Promise.all(all);
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  });

  it('serves requests by turns, so that one that asks for little waits for none that asks for much', async () => {
    const { done, work } = aShare();
    const all = Array.from({ length: 9 }, (_, index) => work(`much ${index}`, 1));
    expect(done).toHaveLength(3);
    all.push(work('little', 1, {}));
    await nextTurn();
    expect(done.slice(3)).toEqual(['much 3', 'little', 'much 4']);
    await Promise.all(all);
  });

  it('lets what else waits for its turn in between', async () => {
    const { done, work } = aShare();
    const all = Array.from({ length: 20 }, (_, index) => work(String(index), 3));
    let others = 0;
    while (done.length < all.length) {
      await nextTurn();
      others += 1;
    }
    expect(others).toBeGreaterThanOrEqual(19);
    await Promise.all(all);
  });

  it('hands on what the work throws, and goes on with the next', async () => {
    const { share, work } = aShare();
    const failing = share.run(share, () => {
      throw new RangeError('this one');
    });
    await expect(failing).rejects.toThrow(new RangeError('this one'));
    expect(await work('next', 1)).toBe('next');
  });
});
