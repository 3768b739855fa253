import { wrapText } from './wrap-text.js';

/** Every character is one wide. */
const lines = (text: string, width: number): string[] => wrapText(text, width, (piece) => [...piece].length);

describe('wrapping', () => {
  it.each([
    ['', 5, ['']],
    ['one', 5, ['one']],
    ['one two', 7, ['one two']],
    ['one two', 6, ['one', 'two']],
    ['a bb ccc', 4, ['a bb', 'ccc']],
    ['abcdefgh', 3, ['abc', 'def', 'gh']],
    ['a bcdefgh i', 4, ['a', 'bcde', 'fgh', 'i']],
    ['ab', 0.5, ['a', 'b']],
    ['😀😀😀', 2, ['😀😀', '😀']],
  ])('%j in %d', (text, width, expected) => {
    expect(lines(text, width)).toEqual(expected);
  });
});
