import { describe, expect, it } from '@jest/globals';
import { readAhead } from './read-ahead.js';

const MIB = 1_048_576;

/** Messages asked for, step by step, until a page of `room` bytes or the log is full of messages of one size. */
function steps(size: number, { room, messages, largestMessage = MIB }: Record<string, number>): number[] {
  const asked: number[] = [];
  for (let left = messages ?? 0, free = room ?? 0; left > 0 && free >= 0;) {
    const next = readAhead(
      { asked: asked.at(-1) ?? 0, largest: asked.length === 0 ? 0 : size, room: free },
      largestMessage,
    );
    asked.push(next);
    left -= next;
    free -= next * size;
  }
  return asked;
}

describe('how many messages are asked for at once', () => {
  // Worked by hand.
  it.each([
    ['small ones, in few round trips', 100, { room: 8 * MIB, messages: 100 }, [2, 8, 32, 32, 32]],
    ['a page of large ones and one more', MIB, { room: 8 * MIB, messages: 99 }, [2, 7]],
    ['two of the largest', 8 * MIB, { room: 8 * MIB, messages: 99, largestMessage: 8 * MIB }, [2]],
    [
      'never more than four that could be of the largest',
      1,
      { room: MIB, messages: 9, largestMessage: 8 * MIB },
      [2, 4, 4],
    ],
    [
      'one, of a channel with messages beyond any bound',
      1,
      { room: 9, messages: 1, largestMessage: 99 * MIB },
      [1],
    ],
  ])('%s', (_, size, given, expected) => {
    expect(steps(size, given)).toEqual(expected);
  });

  it('one where nothing more fits, to see whether there is any', () => {
    expect(readAhead({ asked: 8, largest: 10, room: 0 }, MIB)).toBe(1);
    expect(readAhead({ asked: 8, largest: 10, room: -5 }, MIB)).toBe(1);
  });
});
