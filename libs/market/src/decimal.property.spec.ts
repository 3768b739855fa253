import fc from 'fast-check';
import {
  type Decimal,
  addDecimals,
  compareDecimals,
  fitsDecimal,
  isDecimal,
  parseDecimal,
  readDecimal,
  subtractDecimals,
  sumDecimals,
} from './decimal.js';
import { parseJson, serialiseJson } from './json.js';

/** A number as a whole number of its last digit, and how many digits stand after the point: the oracle calculates with these. */
interface Exact {
  readonly unscaled: bigint;
  readonly scale: number;
}

const exact: fc.Arbitrary<Exact> = fc.record({
  unscaled: fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
  scale: fc.nat(12),
});

/** Written with an exponent, and left to the code under test to write out. */
const written = ({ unscaled, scale }: Exact): string => `${unscaled}e-${scale}`;
const decimal = exact.map((value) => parseDecimal(written(value)));

const at = ({ unscaled, scale }: Exact, wanted: number): bigint => unscaled * 10n ** BigInt(wanted - scale);

/** Back to a whole number by taking the point away. */
const read = (value: Decimal): Exact => {
  const [, fraction = ''] = value.split('.');
  return { unscaled: BigInt(value.replace('.', '')), scale: fraction.length };
};

describe('decimals of any size', () => {
  it('are read with every digit', () => {
    fc.assert(fc.property(exact, (value) => expect(read(parseDecimal(written(value)))).toEqual(value)));
  });

  it('read again as they are written, and come through JSON unchanged', () => {
    fc.assert(
      fc.property(decimal, (value) => {
        expect(isDecimal(value)).toBe(true);
        expect(parseDecimal(value)).toBe(value);
        expect(serialiseJson(parseJson(value))).toBe(value);
      }),
    );
  });

  it('add up and differ exactly', () => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        const scale = Math.max(a.scale, b.scale);
        const [x, y] = [parseDecimal(written(a)), parseDecimal(written(b))];
        expect(read(addDecimals(x, y))).toEqual({ unscaled: at(a, scale) + at(b, scale), scale });
        expect(read(subtractDecimals(x, y))).toEqual({ unscaled: at(a, scale) - at(b, scale), scale });
      }),
    );
  });

  it('compare as the numbers do', () => {
    fc.assert(
      fc.property(exact, exact, (a, b) => {
        const [x, y] = [at(a, 12), at(b, 12)];
        const expected = x < y ? -1 : x > y ? 1 : 0;
        expect(compareDecimals(parseDecimal(written(a)), parseDecimal(written(b)))).toBe(expected);
      }),
    );
  });

  it('have one sum in any order', () => {
    fc.assert(
      fc.property(fc.array(decimal, { maxLength: 20 }), (values) => {
        expect(compareDecimals(sumDecimals(values), sumDecimals([...values].reverse()))).toBe(0);
      }),
    );
  });

  it('agree with doubles where these are exact', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (a, b) => {
        const [x, y] = [parseDecimal(String(a)), parseDecimal(String(b))];
        expect(Number(addDecimals(x, y))).toBe(a + b);
        expect(compareDecimals(x, y)).toBe(Math.sign(a - b) + 0);
      }),
    );
  });

  it('are read as a double reads them, in whatever way a double is written', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(parseDecimal(String(value)))).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  it('fit decimal(p,s) by their digits, whatever zeros stand around them', () => {
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

  it('are told from any other text without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+0-9.eE ]{0,12}$/)), (text) => {
        const value = readDecimal(text);
        // JSON's own grammar is the oracle: https://www.rfc-editor.org/rfc/rfc8259#section-6
        const isNumber = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text);
        if (value === undefined) expect(isNumber && !/e/i.test(text)).toBe(false);
        else expect(isNumber).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
