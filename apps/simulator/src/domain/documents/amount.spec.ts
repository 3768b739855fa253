import { toDecimal, divideRounded, toUnits } from './amount.js';

describe('amounts', () => {
  it.each([
    ['0.00', 2, 0n],
    ['12.3', 2, 1_230n],
    ['-0.05', 2, -5n],
    ['7', 8, 700_000_000n],
    ['1.500', 2, 150n],
    ['123456789012345.12345678', 8, 12_345_678_901_234_512_345_678n],
  ])('%s with scale %i is %s units', (decimal, scale, units) => {
    expect(toUnits(decimal, scale)).toBe(units);
  });

  it('refuses other texts as cents', () => {
    for (const text of ['0.001', 'abc', '', '1e3']) expect(() => toUnits(text, 2)).toThrow(RangeError);
  });

  it.each([
    [0n, 2, '0.00'],
    [-5n, 2, '-0.05'],
    [100n, 2, '1.00'],
    [12_345_678_901_234_512_345_678n, 8, '123456789012345.12345678'],
  ])('%s units of 10^-%i are written %s', (units, scale, decimal) => {
    expect(toDecimal(units, scale)).toBe(decimal);
  });

  it.each([
    [14n, 10n, 1n],
    [15n, 10n, 2n],
    [-14n, 10n, -1n],
    [-15n, 10n, -2n],
    [-16n, 10n, -2n],
    [0n, 10n, 0n],
  ])('%s / %s rounds to %s', (dividend, divisor, quotient) => {
    expect(divideRounded(dividend, divisor)).toBe(quotient);
  });
});
