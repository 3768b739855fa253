import fc from 'fast-check';
import {
  type Decimal,
  addDecimals,
  compareDecimals,
  fitsDecimal,
  isDecimal,
  multiplyDecimals,
  parseDecimal,
  tryParseDecimal,
  subtractDecimals,
} from './decimal.js';
import { parseJson, serialiseJson } from './json.js';

/** A number as an integer and its number of decimals. The expected results are calculated with these. */
interface Exact {
  readonly unscaled: bigint;
  readonly scale: number;
}

const exact: fc.Arbitrary<Exact> = fc.record({
  unscaled: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  scale: fc.nat(12),
});

/** The number with an exponent, which the code under test expands. */
const withExponent = ({ unscaled, scale }: Exact): string => `${unscaled}e-${scale}`;
const decimal = exact.map((value) => parseDecimal(withExponent(value)));

const atScale = ({ unscaled, scale }: Exact, target: number): bigint =>
  unscaled * 10n ** BigInt(target - scale);

/** The integer and the number of decimals of a decimal string. */
const toExact = (value: Decimal): Exact => {
  const [, fraction = ''] = value.split('.');
  return { unscaled: BigInt(value.replace('.', '')), scale: fraction.length };
};

describe('decimals of any size', () => {
  it('are parsed with every digit', () => {
    fc.assert(
      fc.property(exact, (value) => expect(toExact(parseDecimal(withExponent(value)))).toEqual(value)),
    );
  });

  it('are parsed unchanged, and unchanged after JSON', () => {
    fc.assert(
      fc.property(decimal, (value) => {
        expect(isDecimal(value)).toBe(true);
        expect(parseDecimal(value)).toBe(value);
        expect(serialiseJson(parseJson(value))).toBe(value);
      }),
    );
  });

  it('have an exact sum and difference', () => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        const scale = Math.max(a.scale, b.scale);
        const [x, y] = [parseDecimal(withExponent(a)), parseDecimal(withExponent(b))];
        expect(toExact(addDecimals(x, y))).toEqual({
          unscaled: atScale(a, scale) + atScale(b, scale),
          scale,
        });
        expect(toExact(subtractDecimals(x, y))).toEqual({
          unscaled: atScale(a, scale) - atScale(b, scale),
          scale,
        });
      }),
    );
  });

  it('have an exact product', () => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        const product = multiplyDecimals(parseDecimal(withExponent(a)), parseDecimal(withExponent(b)));
        expect(toExact(product)).toEqual({ unscaled: a.unscaled * b.unscaled, scale: a.scale + b.scale });
      }),
    );
  });

  it('compare like the numbers', () => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        const [x, y] = [atScale(a, 12), atScale(b, 12)];
        const expected = x < y ? -1 : x > y ? 1 : 0;
        expect(compareDecimals(parseDecimal(withExponent(a)), parseDecimal(withExponent(b)))).toBe(expected);
      }),
    );
  });

  it('fit decimal(p,s) by their digits, without leading and trailing zeros', () => {
    const digits = fc.nat(15).chain((before) => fc.nat(8).map((after) => ({ before, after })));
    fc.assert(
      fc.property(digits, fc.nat(5), ({ before, after }, zeros) => {
        const value = parseDecimal(
          `-${'9'.repeat(before) || '0'}.${'9'.repeat(after)}${'0'.repeat(zeros + 1)}`,
        );
        expect(fitsDecimal(value, { precision: before + after, scale: after })).toBe(true);
        if (after > 0) expect(fitsDecimal(value, { precision: 23, scale: after - 1 })).toBe(false);
        if (before + after > 0)
          expect(fitsDecimal(value, { precision: before + after - 1, scale: after })).toBe(false);
      }),
    );
  });

  it('are distinguished from other texts without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9.eE ]{0,12}$/)), (text) => {
        const value = tryParseDecimal(text);
        // The grammar of RFC 8259 §6.
        const isNumber = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text);
        if (value === undefined) expect(isNumber && !/e/i.test(text)).toBe(false);
        else expect(isNumber).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
