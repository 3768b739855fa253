import {
  type Decimal,
  InvalidDecimalError,
  addDecimals,
  compareDecimals,
  fitsDecimal,
  multiplyDecimals,
  parseDecimal,
  percentOf,
  subtractDecimals,
  sumDecimals,
} from './decimal.js';

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
    ['0.1', '0.2', '0.3', '-0.1'],
    [
      '12345678901234567890.12345678',
      '0.00000001',
      '12345678901234567890.12345679',
      '12345678901234567890.12345677',
    ],
    ['1', '-1', '0', '2'],
    ['-0.5', '0.25', '-0.25', '-0.75'],
    ['9.99', '0.010', '10.000', '9.980'],
  ])('of %s and %s gives the sum %s and the difference %s', (a, b, sum, difference) => {
    expect(addDecimals(d(a), d(b))).toBe(sum);
    expect(subtractDecimals(d(a), d(b))).toBe(difference);
  });

  it.each([
    ['1.5', '-0.20', '-0.300'],
    ['-3', '-4', '12'],
    ['0.00', '-5', '0.00'],
    ['99999999999999999999.99', '0.1', '9999999999999999999.999'],
  ])('of %s and %s gives the product %s', (a, b, product) => {
    expect(multiplyDecimals(d(a), d(b))).toBe(product);
  });

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

  it.each([
    ['1.50', '1.5', 0],
    ['-1', '1', -1],
    ['10', '9.99999999', 1],
    ['100000000000000000000.1', '100000000000000000000.2', -1],
    ['-2', '-10', 1],
  ])('compares %s with %s', (a, b, expected) => {
    expect(compareDecimals(d(a), d(b))).toBe(expected);
  });
});

describe('fitsDecimal', () => {
  it.each([
    ['123456789012345.12345678', 23, 8, true],
    ['1234567890123456.12345678', 23, 8, false],
    ['12345678901234567890123', 23, 8, true],
    ['0.123456789', 23, 8, false],
    ['0.1234567800', 23, 8, true],
    ['-1234567890123456.78', 18, 2, true],
    ['12345678901234567.89', 18, 2, false],
    ['0.001', 18, 2, false],
  ])('%s in decimal(%i,%i): %s', (text, precision, scale, expected) => {
    expect(fitsDecimal(d(text), { precision, scale })).toBe(expected);
  });
});
