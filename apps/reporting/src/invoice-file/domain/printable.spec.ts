import { printable, printableLines } from './printable.js';
import { isWinAnsi } from './win-ansi.js';

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

  it('knows what a standard font can write: what code page 1252 has', () => {
    const written = new Set([...from(0x20, 0x7e), ...from(0xa0, 0xff), ...CODE_PAGE_1252_80_TO_9F]);
    const known = from(0, 0xffff).filter((code) => isWinAnsi(String.fromCharCode(code)));
    expect(new Set(known)).toEqual(written);
  });
});

const from = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The Unicode Consortium's table of code page 1252, from 0x80 to 0x9f; five places are empty. */
const CODE_PAGE_1252_80_TO_9F = [
  0x20ac, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x017d,
  0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x017e,
  0x0178,
];
