import { readAhead } from './read-ahead.js';

const MIB = 1_048_576;

interface Given {
  /** Of the page. */
  readonly maxBytes: number;
  readonly messages: number;
  /** Of the channel; 1 MiB when omitted. */
  readonly maxMessageBytes?: number;
}

/** Messages of each request until the page or the log ends; every message has the same size. */
function steps(size: number, { maxBytes, messages, maxMessageBytes = MIB }: Given): number[] {
  const requests: number[] = [];
  for (let left = messages, free = maxBytes; left > 0 && free >= 0;) {
    const next = readAhead(requests.length === 0 ? undefined : size, free, maxMessageBytes);
    requests.push(next);
    left -= next;
    free -= next * size;
  }
  return requests;
}

describe('how many messages are requested at once', () => {
  // By hand.
  it.each<[string, number, Given, number[]]>([
    ['small ones, in few round trips', 100, { maxBytes: 8 * MIB, messages: 100 }, [8, 32, 32, 32]],
    ['small ones on a small page', 100, { maxBytes: MIB, messages: 32 }, [2, 32]],
    [
      'everything that fits at the maximum size',
      100,
      { maxBytes: MIB, messages: 32, maxMessageBytes: 1_000 },
      [32],
    ],
    ['a page of large ones, and one more', MIB, { maxBytes: 8 * MIB, messages: 99 }, [8, 1]],
    ['two of the largest', 8 * MIB, { maxBytes: 8 * MIB, messages: 99, maxMessageBytes: 8 * MIB }, [2]],
    [
      'never more than four that could be of the largest',
      1,
      { maxBytes: MIB, messages: 9, maxMessageBytes: 8 * MIB },
      [2, 4, 4],
    ],
    [
      'one when the maximum size is above every limit',
      1,
      { maxBytes: 9, messages: 1, maxMessageBytes: 99 * MIB },
      [1],
    ],
  ])('%s', (_, size, given, expected) => {
    expect(steps(size, given)).toEqual(expected);
  });

  it('one when nothing more fits, to learn whether there is more', () => {
    expect(readAhead(10, 0, MIB)).toBe(1);
    expect(readAhead(10, -5, MIB)).toBe(1);
  });
});
