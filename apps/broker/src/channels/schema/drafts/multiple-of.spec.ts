import fc from 'fast-check';
import { isMultipleOf } from './multiple-of.js';

describe('multipleOf', () => {
  it.each([
    [0.07, 0.01, true],
    [19.99, 0.01, true],
    [4.35, 0.01, true],
    [12_345_678_901.23, 0.01, true],
    [-4.35, 0.01, true],
    [4.355, 0.01, false],
    [0, 0.01, true],
    [-0, 3, true],
    [7, 2, false],
    [1e300, 3, false],
    [3e300, 3, true],
    [1e-8, 1e-9, true],
    [1.5e-9, 1e-9, false],
    [1e308, 1e-308, true],
    [5e-324, 1, false],
  ])('%d of %d: %s', (value, divisor, expected) => {
    expect(isMultipleOf(value, divisor)).toBe(expected);
  });

  it('accepts an integer times the divisor, in decimal notation', () => {
    const scales = fc.integer({ min: 0, max: 6 });
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 99_999 }), scales, (times, step, places) => {
        const product = BigInt(times) * BigInt(step);
        fc.pre(product < 10n ** 15n && product > -(10n ** 15n));
        const inDecimal = (digits: bigint) => Number(`${digits}e-${places}`);
        const value = inDecimal(product);
        expect(isMultipleOf(value, inDecimal(BigInt(step)))).toBe(true);
        if (step > 1) expect(isMultipleOf(inDecimal(product + 1n), inDecimal(BigInt(step)))).toBe(false);
      }),
    );
  });
});
