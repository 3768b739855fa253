import { parseDecimal } from '@ssb/market';
import { formatAmount, toPrintable, toPrintableLines } from './invoice-text.js';

describe('formatAmount', () => {
  it.each([
    ['0', '0.00'],
    ['5', '5.00'],
    ['-0.5', '-0.50'],
    ['999.99', '999.99'],
    ['1000', '1,000.00'],
    ['-1234567.5', '-1,234,567.50'],
    ['123456.10', '123,456.10'],
    ['1.5000', '1.50'],
    ['0.12345678', '0.12345678'],
    ['99999999999999999999999999.99', '99,999,999,999,999,999,999,999,999.99'],
  ])('%s is %s', (digits, formatted) => {
    expect(formatAmount(parseDecimal(digits))).toBe(formatted);
  });
});

describe('toPrintable', () => {
  it.each([
    ['a\u0000b', 'a b'],
    [' a\t\r\nb ', 'a b'],
    ['\ud800x', '\ufffdx'],
    ['\u{1f600}', '\u{1f600}'],
  ])('%j becomes %j', (text, expected) => {
    expect(toPrintable(text)).toBe(expected);
  });
});

describe('toPrintableLines', () => {
  it('keeps the lines of a message', () => {
    expect(toPrintableLines('one\r\ntwo\n\n three\u2028four')).toEqual(['one', 'two', 'three', 'four']);
  });
});
