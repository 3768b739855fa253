import { z } from 'zod';
import { LosslessNumber } from './json.js';
import {
  type MarketDate,
  type MarketDateTime,
  isMarketDate,
  isMarketDateTime,
  marketNow,
} from './market-time.js';
import { DATE_PATTERN, OPEN_DATE_TIME_PATTERN } from './time-patterns.js';

/**
 * The two ways of reading one resource. Each resource is defined once, as a function of the form:
 * - `strict`, for the operator's door: an unknown property is refused, every rule of document 000 holds,
 *   those included that it states in prose (labels, which field goes with which market).
 * - `tolerant`, for a client: unknown properties are dropped and counted, and what the document leaves open is read generously.
 */
export interface Form {
  readonly kind: 'strict' | 'tolerant';
  /** An object of exactly these properties. */
  object<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape>;
  /** A rule stated in prose about several fields or a label: checked in the strict form only. */
  rule<Schema extends z.ZodType>(schema: Schema, broken: (value: z.output<Schema>) => BrokenRule[]): Schema;
  /** A date-time for which the document gives no pattern. */
  openDateTime(): DateTimeSchema;
  /** A date-time whose form is `yyyy-MM-dd`. */
  date(): z.ZodType<MarketDate, string>;
  /** A boolean which the document also describes as 1 or 0. */
  flag(): z.ZodType<boolean>;
}

export interface BrokenRule {
  readonly path: (string | number)[];
  readonly message: string;
}

type DateTimeSchema = z.ZodType<MarketDateTime, string>;

export const strictForm: Form = {
  kind: 'strict',
  object: (shape) => z.strictObject(shape),
  rule: (schema, broken) => schema.superRefine((value, context) => report(broken(value), context)),
  openDateTime: () => zonelessDateTime,
  date: () => marketDate,
  flag: () => z.boolean(),
};

export const tolerantForm: Form = {
  kind: 'tolerant',
  object: (shape) => objectThatIsNoNumber(z.object(shape)),
  rule: (schema) => schema,
  openDateTime: () =>
    z.codec(z.string(), zonelessDateTime, {
      decode: (text) => intoMarketTime(text),
      encode: (value) => value,
    }),
  date: () =>
    z.codec(z.string(), marketDate, {
      decode: (text) => text.replace(/T00:00:00(?:\.0+)?$/, ''),
      encode: (value) => value,
    }),
  flag: () => {
    const oneOrZero = z.custom((value) => /^[01]$/.test(String(value)), 'expected true, false, 1 or 0');
    return z.codec(z.union([z.boolean(), oneOrZero]), z.boolean(), {
      decode: (value) => value === true || String(value) === '1',
      encode: (value) => value,
    });
  },
};

/**
 * A wire number is an object to JavaScript, and would pass for one whose properties are all optional. The strict form sees
 * its inner properties as unknown ones, and stays free to be written with.
 */
function objectThatIsNoNumber<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>): z.ZodObject<Shape> {
  const guarded = z.preprocess(
    (value) => (value instanceof LosslessNumber ? Number(value.value) : value),
    schema,
  );
  return guarded as unknown as z.ZodObject<Shape>;
}

const zonelessDateTime = z
  .string()
  .refine(isMarketDateTime, 'expected a date-time yyyy-MM-ddTHH:mm:ss (no zone) that exists')
  .meta({
    pattern: OPEN_DATE_TIME_PATTERN,
    description: 'Market time (UTC+8) without a zone: yyyy-MM-ddTHH:mm:ss',
  }) as unknown as DateTimeSchema;

const marketDate = z.string().refine(isMarketDate, 'expected a date yyyy-MM-dd that exists').meta({
  format: 'date',
  pattern: DATE_PATTERN,
  description: 'Market date: yyyy-MM-dd',
}) as unknown as z.ZodType<MarketDate, string>;

/** Where no pattern is given, a date alone means its first moment, and a zone is taken at its word. */
function intoMarketTime(text: string): string {
  if (isMarketDate(text)) return `${text}T00:00:00`;
  const zoned = /^(.+?)(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.exec(text);
  const [, seconds = '', fraction = '', zone = ''] = zoned ?? [];
  if (zoned === null || !isMarketDateTime(seconds)) return text;
  const moment = new Date(`${seconds}${zone}`);
  return Number.isNaN(moment.getTime()) ? text : `${marketNow(moment)}${fraction}`;
}

function report(broken: BrokenRule[], context: z.core.$RefinementCtx): void {
  for (const { path, message } of broken) context.addIssue({ code: 'custom', path, message });
}
