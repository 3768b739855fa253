import { readAhead } from './read-ahead.js';

const MIB = 1_048_576;

interface Given {
  /** Bytes that a page takes. */
  readonly room: number;
  readonly messages: number;
  /** Bytes that a message of the channel may have; 1 MiB when omitted. */
  readonly allowed?: number;
}

/** Messages asked for, step by step, until a page or the log of messages of one size has come to its end. */
function steps(size: number, { room, messages, allowed = MIB }: Given): number[] {
  const asked: number[] = [];
  for (let left = messages, free = room; left > 0 && free >= 0;) {
    const next = readAhead(asked.length === 0 ? undefined : size, free, allowed);
    asked.push(next);
    left -= next;
    free -= next * size;
  }
  return asked;
}

describe('how many messages are asked for at once', () => {
  // Worked by hand.
  it.each<[string, number, Given, number[]]>([
    ['small ones, in few round trips', 100, { room: 8 * MIB, messages: 100 }, [8, 32, 32, 32]],
    ['small ones on a small page', 100, { room: MIB, messages: 32 }, [2, 32]],
    ['at once what fits in any case', 100, { room: MIB, messages: 32, allowed: 1_000 }, [32]],
    ['a page of large ones, and one more', MIB, { room: 8 * MIB, messages: 99 }, [8, 1]],
    ['two of the largest', 8 * MIB, { room: 8 * MIB, messages: 99, allowed: 8 * MIB }, [2]],
    [
      'never more than four that could be of the largest',
      1,
      { room: MIB, messages: 9, allowed: 8 * MIB },
      [2, 4, 4],
    ],
    ['one where messages may be beyond any bound', 1, { room: 9, messages: 1, allowed: 99 * MIB }, [1]],
  ])('%s', (_, size, given, expected) => {
    expect(steps(size, given)).toEqual(expected);
  });

  it('one where nothing more fits, to see whether there is any', () => {
    expect(readAhead(10, 0, MIB)).toBe(1);
    expect(readAhead(10, -5, MIB)).toBe(1);
  });
});
