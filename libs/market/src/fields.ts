import { z } from 'zod';
import { type Decimal, type DecimalLimits, fitsDecimal, isDecimal, readDecimal } from './decimal.js';
import { LosslessNumber } from './json.js';
import { type MarketDateTime, isMarketDateTime } from './market-time.js';
import { DATE_TIME_MILLISECONDS_PATTERN, DATE_TIME_PATTERN } from './time-patterns.js';

/** A string of at most so many characters (code points, as JSON Schema counts them). */
export function text(maxLength: number): z.ZodString {
  return z
    .string()
    .refine((value) => [...value].length <= maxLength, `expected at most ${maxLength} characters`)
    .meta({ maxLength });
}

/** A string of at most so many characters with at least one that is not blank. */
export function filledText(maxLength: number): z.ZodString {
  return text(maxLength)
    .refine((value) => value.trim() !== '', 'expected a text that is not blank')
    .meta({ minLength: 1, maxLength, pattern: '\\S' });
}

/** A JSON number on the wire, a `Decimal` with the same digits in memory. */
export function decimal(limits?: DecimalLimits): z.ZodType<Decimal> {
  const value = z
    .custom<Decimal>((text) => typeof text === 'string' && isDecimal(text), 'expected a decimal number')
    .refine(
      (number) => limits === undefined || fitsDecimal(number, limits),
      limits && `expected at most ${limits.precision} digits, ${limits.scale} of them after the point`,
    );
  return z.codec(wireNumber('number', 'double', limits && describeLimits(limits)), value, {
    decode: (number, context) => {
      const read = readDecimal(number.value);
      if (read !== undefined) return read;
      context.issues.push({ code: 'custom', input: number, message: 'expected a number of fewer digits' });
      return z.NEVER;
    },
    encode: (number) => new LosslessNumber(number),
  });
}

/** A whole JSON number within bounds; a plain number in memory. */
export function int32(minimum: number, maximum: number): z.ZodType<number> {
  const value = z
    .number()
    .refine(
      (n) => Number.isInteger(n) && n >= minimum && n <= maximum,
      `expected a whole number from ${minimum} to ${maximum}`,
    );
  return z.codec(wireNumber('integer', 'int32', { minimum, maximum }), value, {
    decode: (number) => wholeNumber(number.value),
    encode: (number) => new LosslessNumber(String(number)),
  });
}

/** A double would round the fraction of `2147483646.0000000001` away: NaN, which is in no bounds, for what is not whole. */
function wholeNumber(digits: string): number {
  const [, fraction = ''] = (readDecimal(digits) ?? '.1').split('.');
  return /[1-9]/.test(fraction) ? Number.NaN : Number(digits);
}

/** A zone-less market date-time of the exact form `yyyy-MM-ddTHH:mm:ss`. */
export function dateTime(): z.ZodType<MarketDateTime, string> {
  return marketDateTime(/^[^.]{19}$/, 'yyyy-MM-ddTHH:mm:ss', DATE_TIME_PATTERN);
}

/** A zone-less market date-time of the exact form `yyyy-MM-ddTHH:mm:ss.fff`. */
export function dateTimeWithMilliseconds(): z.ZodType<MarketDateTime, string> {
  return marketDateTime(/^[^.]{19}\.\d{3}$/, 'yyyy-MM-ddTHH:mm:ss.fff', DATE_TIME_MILLISECONDS_PATTERN);
}

function marketDateTime(form: RegExp, written: string, pattern: string): z.ZodType<MarketDateTime, string> {
  return z
    .string()
    .refine(
      (value) => form.test(value) && isMarketDateTime(value),
      `expected a date-time ${written} (no zone) that exists`,
    )
    .meta({ pattern, description: `Market time (UTC+8) without a zone: ${written}` }) as unknown as z.ZodType<
    MarketDateTime,
    string
  >;
}

/**
 * Validators compare doubles: the bounds are the first round figures that are too big, since honest figures of all nines round to
 * them, and the scale is told in words, since `multipleOf` would refuse honest figures.
 */
function describeLimits({ precision, scale }: DecimalLimits): object {
  const description = `decimal(${precision},${scale}): at most ${precision} digits, ${scale} of them after the point`;
  // Read from text: engines compute 10 ** 23 with different rounding.
  const bound = Number(`1e${precision}`);
  return { minimum: -bound, maximum: bound, description };
}

function wireNumber(
  type: 'number' | 'integer',
  format: string,
  bounds: object = {},
): z.ZodType<LosslessNumber> {
  return z
    .custom<LosslessNumber>((value) => value instanceof LosslessNumber, 'expected a number')
    .meta({ type, format, ...bounds });
}
