import { setImmediate as nextTurn } from 'node:timers/promises';
import { Turns } from './turns.js';

/** Work that ends when it is told to, and a list of what has begun. */
function workshop(room: number) {
  const turns = new Turns(room);
  const begun: string[] = [];
  const enders = new Map<string, (error?: Error) => void>();
  const ask = (name: string, weight: number): Promise<string> =>
    turns.run(weight, () => {
      begun.push(name);
      return new Promise((resolve, reject) =>
        enders.set(name, (error) => (error ? reject(error) : resolve(name))),
      );
    });
  const end = async (name: string, error?: Error): Promise<void> => {
    enders.get(name)?.(error);
    await nextTurn();
  };
  return { ask, begun, end };
}

describe('turns', () => {
  it('let begin what fits, and the others in their order', async () => {
    const { ask, begun, end } = workshop(10);
    const all = [ask('a', 6), ask('b', 4), ask('c', 5), ask('d', 1)];
    await nextTurn();
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    // There would be room for the last one; but then a heavy one might wait for ever.
    expect(begun).toEqual(['a', 'b']);
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    await end('c');
    await end('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('let what is heavier than the room go alone', async () => {
    const { ask, begun, end } = workshop(10);
    const all = [ask('heavy', 11), ask('light', 1)];
    await nextTurn();
    expect(begun).toEqual(['heavy']);
    await end('heavy');
    await end('light');
    await Promise.all(all);
  });

  it('go on after a failure, which is told to whoever asked', async () => {
    const { ask, begun, end } = workshop(1);
    const failing = ask('failing', 1);
    const next = ask('next', 1);
    const told = expect(failing).rejects.toThrow('broken');
    await nextTurn();
    await end('failing', new Error('broken'));
    await told;
    expect(begun).toEqual(['failing', 'next']);
    await end('next');
    expect(await next).toBe('next');
  });
});
