import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Together } from './together.js';

/** Looks that end when the test says so. */
function heldLooks(mostKeys?: number) {
  const looks: {
    keys: readonly string[];
    end: (found: Map<string, string>) => void;
    fail: (e: Error) => void;
  }[] = [];
  const together = new Together<string>(
    (keys) => new Promise((end, fail) => looks.push({ keys, end, fail })),
    mostKeys,
  );
  const begun = async (count: number): Promise<void> => {
    for (let turn = 0; looks.length < count && turn < 100; turn += 1) await nextTurn();
    expect(looks).toHaveLength(count);
  };
  return { together, looks, begun };
}

describe('looking up together', () => {
  it('serves all who ask while a look is under way by the next one, each key named once', async () => {
    const { together, looks, begun } = heldLooks();
    const first = together.find('a');
    await begun(1);
    const later = ['b', 'a', 'b', 'c'].map((key) => together.find(key));
    looks[0]?.end(new Map([['a', 'old']]));
    expect(await first).toBe('old');
    await begun(2);
    expect(looks[1]?.keys).toEqual(['b', 'a', 'c']);
    looks[1]?.end(
      new Map([
        ['a', 'new'],
        ['b', 'B'],
      ]),
    );
    expect(await Promise.all(later)).toEqual(['B', 'new', 'B', undefined]);
  });

  it('serves whoever asks in the same turn by one look', async () => {
    const { together, looks, begun } = heldLooks();
    const first = together.find('a');
    await Promise.resolve();
    const second = together.find('b');
    await begun(1);
    looks[0]?.end(new Map([['b', 'B']]));
    expect(await Promise.all([first, second])).toEqual([undefined, 'B']);
    expect(looks.map(({ keys }) => keys)).toEqual([['a', 'b']]);
  });

  it('tells a failure to those whom it meets, and goes on', async () => {
    const { together, looks, begun } = heldLooks();
    const met = Promise.allSettled([together.find('a'), together.find('b')]);
    await begun(1);
    const after = together.find('a');
    looks[0]?.fail(new Error('away'));
    expect((await met).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await begun(2);
    looks[1]?.end(new Map([['a', 'there']]));
    expect(await after).toBe('there');
  });

  it('leaves to the look after what one has no room for', async () => {
    const { together, looks, begun } = heldLooks(2);
    const first = together.find('a');
    await begun(1);
    const later = ['b', 'c', 'd', 'b'].map((key) => together.find(key));
    for (const count of [1, 2, 3]) {
      await begun(count);
      const { keys, end } = looks[count - 1] ?? { keys: [], end: () => undefined };
      end(new Map(keys.map((key) => [key, key.toUpperCase()])));
    }
    expect([await first, ...(await Promise.all(later))]).toEqual(['A', 'B', 'C', 'D', 'B']);
    expect(looks.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c'], ['d', 'b']]);
  });
});
