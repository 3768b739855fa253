import { type Decimal, InvalidDecimalError, parseDecimal, percentOf, sumDecimals } from './decimal.js';

const d = (text: string): Decimal => parseDecimal(text);

describe('parseDecimal', () => {
  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.00', '0.00'],
    ['1.50', '1.50'],
    ['123456789012345.12345678', '123456789012345.12345678'],
    ['-0.00000001', '-0.00000001'],
    ['1E-05', '0.00001'],
    ['-1.25e-3', '-0.00125'],
    ['1.5e3', '1500'],
    ['1.50e1', '15.0'],
    ['-2E+0', '-2'],
    ['0e9', '0'],
  ])('parses %s as %s', (text, expected) => {
    expect(parseDecimal(text)).toBe(expected);
  });

  it.each([
    '',
    ' 1',
    '+1',
    '01',
    '1.',
    '.5',
    '1e',
    '0x10',
    'NaN',
    'Infinity',
    '1,5',
    '1e999999999',
    '9'.repeat(5000),
  ])('refuses %j', (text) => {
    expect(() => parseDecimal(text)).toThrow(InvalidDecimalError);
  });
});

describe('exact calculation', () => {
  it.each([
    ['1000', '10.5', '105'],
    ['100', '100', '100'],
    ['0.03', '0.5', '0.00015'],
    ['-2000.00', '50', '-1000'],
    ['0', '50.00', '0'],
    ['123456789012345.12345678', '33.33', '41148147777814.629648144774'],
  ])('of %s gives %s per cent as %s', (amount, percent, share) => {
    expect(percentOf(d(amount), d(percent))).toBe(share);
  });

  it('gives the sum of a list, and 0 for an empty list', () => {
    expect(sumDecimals([d('1.10'), d('2.2'), d('-0.30')])).toBe('3.00');
    expect(sumDecimals([])).toBe('0');
  });
});
