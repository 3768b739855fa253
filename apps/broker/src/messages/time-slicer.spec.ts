import { setImmediate as nextTurn } from 'node:timers/promises';
import { TimeSlicer } from './time-slicer.js';

/** A slice of three milliseconds, and work that moves the test's clock. */
function createSlicer() {
  let now = 0;
  const done: string[] = [];
  const slicer = new TimeSlicer(() => now, 3);
  const run = (name: string, takesMs: number, request: object = slicer): Promise<string> =>
    slicer.run(request, () => {
      now += takesMs;
      done.push(name);
      return name;
    });
  return { slicer, done, run };
}

describe('the time slicer', () => {
  it('runs work at once', async () => {
    const { done, run } = createSlicer();
    const first = run('a', 1);
    expect(done).toEqual(['a']);
    expect(await first).toBe('a');
  });

  it('stops at the end of the slice and continues in the next turn, in order', async () => {
    const { done, run } = createSlicer();
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => run(name, 1));
    expect(done).toEqual(['a', 'b', 'c']);
    await nextTurn();
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    all.push(run('h', 1));
    expect(done).not.toContain('h');
    await Promise.all(all);
    expect(done).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  });

  it('alternates between requests, so that a small one does not wait for a large one', async () => {
    const { done, run } = createSlicer();
    const all = Array.from({ length: 9 }, (_, index) => run(`large ${index}`, 1));
    expect(done).toHaveLength(3);
    all.push(run('small', 1, {}));
    await nextTurn();
    expect(done.slice(3)).toEqual(['large 3', 'small', 'large 4']);
    await Promise.all(all);
  });

  it('lets other callbacks run in between', async () => {
    const { done, run } = createSlicer();
    const all = Array.from({ length: 20 }, (_, index) => run(String(index), 3));
    let others = 0;
    while (done.length < all.length) {
      await nextTurn();
      others += 1;
    }
    expect(others).toBeGreaterThanOrEqual(19);
    await Promise.all(all);
  });

  it('rejects with the error of the work, and runs the next', async () => {
    const { slicer, run } = createSlicer();
    const failing = slicer.run(slicer, () => {
      throw new RangeError('this one');
    });
    await expect(failing).rejects.toThrow(new RangeError('this one'));
    expect(await run('next', 1)).toBe('next');
  });
});
