import { setImmediate as nextTurn } from 'node:timers/promises';
import { TimeSlicer } from './time-slicer.js';

/** A slicer with slices of three milliseconds, and work that advances the test's clock. */
function createSlicer() {
  let now = 0;
  const completed: string[] = [];
  const slicer = new TimeSlicer(() => now, 3);
  const run = (name: string, durationMs: number, request: object = slicer): Promise<string> =>
    slicer.run(request, () => {
      now += durationMs;
      completed.push(name);
      return name;
    });
  return { slicer, completed, run };
}

describe('the time slicer', () => {
  it('stops at the end of the slice and continues in order in the next turn of the event loop', async () => {
    const { completed, run } = createSlicer();
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => run(name, 1));
    expect(completed).toEqual(['a', 'b', 'c']);
    await nextTurn();
    expect(completed).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    all.push(run('h', 1));
    expect(completed).not.toContain('h');
    await Promise.all(all);
    expect(completed).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
  });

  it('alternates between requests, so that a small one does not wait for a large one', async () => {
    const { completed, run } = createSlicer();
    const all = Array.from({ length: 9 }, (_, index) => run(`large ${index}`, 1));
    expect(completed).toHaveLength(3);
    all.push(run('small', 1, {}));
    await nextTurn();
    expect(completed.slice(3)).toEqual(['large 3', 'small', 'large 4']);
    await Promise.all(all);
  });

  it('rejects with the error that the work throws, and runs the next work', async () => {
    const { slicer, run } = createSlicer();
    const failing = slicer.run(slicer, () => {
      throw new RangeError('work failed');
    });
    await expect(failing).rejects.toThrow(new RangeError('work failed'));
    expect(await run('next', 1)).toBe('next');
  });
});
