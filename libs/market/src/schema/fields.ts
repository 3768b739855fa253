import { z } from 'zod';
import {
  type Decimal,
  type DecimalLimits,
  fitsDecimal,
  isDecimal,
  tryParseDecimal,
} from '../values/decimal.js';
import { LosslessNumber } from '../values/json.js';
import {
  type MarketDate,
  type MarketDateTime,
  isMarketDate,
  isMarketDateTime,
} from '../values/market-time.js';

/**
 * JSON Schema patterns of market dates and times, because `format: date-time` (RFC 3339) requires a zone. They check
 * the length of each month, but not leap years. RE2 of Go compiles them.
 */
const YEAR = '(?:\\d{3}[1-9]|\\d{2}[1-9]0|\\d[1-9]00|[1-9]000)';
const DAY_OF_MONTH =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|[12]\\d))';
const TIME = '(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';
const DATE_PATTERN = `^${YEAR}-${DAY_OF_MONTH}$`;
const DATE_TIME_PATTERN = `^${YEAR}-${DAY_OF_MONTH}T${TIME}$`;
const DATE_TIME_MILLISECONDS_PATTERN = `^${YEAR}-${DAY_OF_MONTH}T${TIME}\\.\\d{3}$`;
/** A day of a parameter: `yyyy-MM-dd` or `yyyy-MM-ddTHH:mm:ss` (document 000, Conventions 3). */
export const DAY_PATTERN = `^${YEAR}-${DAY_OF_MONTH}(?:T${TIME})?$`;
const OPEN_DATE_TIME_PATTERN = `^${YEAR}-${DAY_OF_MONTH}T${TIME}(?:\\.\\d{1,9})?$`;

type DateTimeSchema = z.ZodType<MarketDateTime, string>;

/** A string of at most `maxLength` characters (code points, as JSON Schema counts them). */
export function text(maxLength: number): z.ZodString {
  return z
    .string()
    .refine((value) => [...value].length <= maxLength, `expected at most ${maxLength} characters`)
    .meta({ maxLength });
}

/** A string of at most `maxLength` characters that is not blank. */
export function filledText(maxLength: number): z.ZodString {
  return text(maxLength)
    .refine((value) => value.trim() !== '', 'expected a text that is not blank')
    .meta({ minLength: 1, maxLength, pattern: '\\S' });
}

/** A JSON number in JSON, a `Decimal` with the same digits in memory. */
export function decimal(limits?: DecimalLimits): z.ZodType<Decimal> {
  const value = z
    .custom<Decimal>((text) => typeof text === 'string' && isDecimal(text), 'expected a decimal number')
    .refine(
      (number) => limits === undefined || fitsDecimal(number, limits),
      limits && `expected at most ${limits.precision} digits, ${limits.scale} of them after the point`,
    );
  return z.codec(jsonNumber('number', 'double', limits && describeLimits(limits)), value, {
    decode: (number, context) => {
      const parsed = tryParseDecimal(number.value);
      if (parsed !== undefined) return parsed;
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
  return z.codec(jsonNumber('integer', 'int32', { minimum, maximum }), value, {
    decode: (number) => parseWholeNumber(number.value),
    encode: (number) => new LosslessNumber(String(number)),
  });
}

/** NaN for a fraction, also for one that a double would round away (`2147483646.0000000001`). */
function parseWholeNumber(digits: string): number {
  const [, fraction = ''] = (tryParseDecimal(digits) ?? '.1').split('.');
  return /[1-9]/.test(fraction) ? Number.NaN : Number(digits);
}

/** A zone-less market date-time of the exact form `yyyy-MM-ddTHH:mm:ss`. */
export function dateTime(): DateTimeSchema {
  return marketDateTime(/^[^.]{19}$/, 'yyyy-MM-ddTHH:mm:ss', DATE_TIME_PATTERN);
}

/** A zone-less market date-time of the exact form `yyyy-MM-ddTHH:mm:ss.fff`. */
export function dateTimeWithMilliseconds(): DateTimeSchema {
  return marketDateTime(/^[^.]{19}\.\d{3}$/, 'yyyy-MM-ddTHH:mm:ss.fff', DATE_TIME_MILLISECONDS_PATTERN);
}

function marketDateTime(form: RegExp, formText: string, pattern: string): DateTimeSchema {
  return z
    .string()
    .refine(
      (value) => form.test(value) && isMarketDateTime(value),
      `expected a date-time ${formText} (no zone) that exists`,
    )
    .meta({
      pattern,
      description: `Market time (UTC+8) without a zone: ${formText}`,
    }) as unknown as DateTimeSchema;
}

/** A zone-less market date-time with up to nine digits of a second. */
export const openDateTime = z
  .string()
  .refine(isMarketDateTime, 'expected a date-time yyyy-MM-ddTHH:mm:ss (no zone) that exists')
  .meta({
    pattern: OPEN_DATE_TIME_PATTERN,
    description: 'Market time (UTC+8) without a zone: yyyy-MM-ddTHH:mm:ss',
  }) as unknown as DateTimeSchema;

/** A market date, `yyyy-MM-dd`. */
export const marketDate = z.string().refine(isMarketDate, 'expected a date yyyy-MM-dd that exists').meta({
  format: 'date',
  pattern: DATE_PATTERN,
  description: 'Market date: yyyy-MM-dd',
}) as unknown as z.ZodType<MarketDate, string>;

/**
 * Bounds and description of decimal(p,s) for JSON Schema. Validators compare doubles, so the bounds are round numbers
 * and the scale is described in words; `multipleOf` would refuse valid numbers.
 */
function describeLimits({ precision, scale }: DecimalLimits): object {
  const description = `decimal(${precision},${scale}): at most ${precision} digits, ${scale} of them after the point`;
  // Parsed from text: engines compute 10 ** 23 with different rounding.
  const bound = Number(`1e${precision}`);
  return { minimum: -bound, maximum: bound, description };
}

function jsonNumber(
  type: 'number' | 'integer',
  format: string,
  bounds: object = {},
): z.ZodType<LosslessNumber> {
  return z
    .custom<LosslessNumber>((value) => value instanceof LosslessNumber, 'expected a number')
    .meta({ type, format, ...bounds });
}
