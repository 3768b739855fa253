import { setImmediate as nextTurn } from 'node:timers/promises';
import { BatchLoader } from './batch-loader.js';

/** Batches that end when the test resolves them. */
function heldBatches(maxKeys?: number) {
  const batches: {
    keys: readonly string[];
    end: (found: Map<string, string>) => void;
    fail: (e: Error) => void;
  }[] = [];
  const loader = new BatchLoader<string>(
    (keys) => new Promise((end, fail) => batches.push({ keys, end, fail })),
    maxKeys,
  );
  const begun = async (count: number): Promise<void> => {
    for (let turn = 0; batches.length < count && turn < 100; turn += 1) await nextTurn();
    expect(batches).toHaveLength(count);
  };
  return { loader, batches, begun };
}

describe('BatchLoader', () => {
  it('serves all requests during a batch with the next one, each key named once', async () => {
    const { loader, batches, begun } = heldBatches();
    const first = loader.find('a');
    await begun(1);
    const later = ['b', 'a', 'b', 'c'].map((key) => loader.find(key));
    batches[0]?.end(new Map([['a', 'old']]));
    expect(await first).toBe('old');
    await begun(2);
    expect(batches[1]?.keys).toEqual(['b', 'a', 'c']);
    batches[1]?.end(
      new Map([
        ['a', 'new'],
        ['b', 'B'],
      ]),
    );
    expect(await Promise.all(later)).toEqual(['B', 'new', 'B', undefined]);
  });

  it('serves requests of the same event-loop turn with one batch', async () => {
    const { loader, batches, begun } = heldBatches();
    const first = loader.find('a');
    await Promise.resolve();
    const second = loader.find('b');
    await begun(1);
    batches[0]?.end(new Map([['b', 'B']]));
    expect(await Promise.all([first, second])).toEqual([undefined, 'B']);
    expect(batches.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  });

  it('rejects the requests of a failed batch, and continues', async () => {
    const { loader, batches, begun } = heldBatches();
    const settled = Promise.allSettled([loader.find('a'), loader.find('b')]);
    await begun(1);
    const after = loader.find('a');
    batches[0]?.fail(new Error('unavailable'));
    expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await begun(2);
    batches[1]?.end(new Map([['a', 'found']]));
    expect(await after).toBe('found');
  });

  it('moves requests beyond the maximum to the next batch', async () => {
    const { loader, batches, begun } = heldBatches(2);
    const first = loader.find('a');
    await begun(1);
    const later = ['b', 'c', 'd', 'b'].map((key) => loader.find(key));
    for (const count of [1, 2, 3]) {
      await begun(count);
      const { keys, end } = batches[count - 1] ?? { keys: [], end: () => undefined };
      end(new Map(keys.map((key) => [key, key.toUpperCase()])));
    }
    expect([await first, ...(await Promise.all(later))]).toEqual(['A', 'B', 'C', 'D', 'B']);
    expect(batches.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c'], ['d', 'b']]);
  });
});
