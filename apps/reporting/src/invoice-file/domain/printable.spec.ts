import { printable, printableLines } from './printable.js';

describe('what can be printed', () => {
  it.each([
    ['a\u0000b', 'a b'],
    [' a\t\r\nb ', 'a b'],
    ['\ud800x', '\ufffdx'],
    ['\u{1f600}', '\u{1f600}'],
  ])('%j as %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  it('keeps the lines of a message', () => {
    expect(printableLines('one\r\ntwo\n\n three\u2028four')).toEqual(['one', 'two', 'three', 'four']);
  });
});
