import { z } from 'zod';
import { LosslessNumber } from '../values/json.js';
import {
  type MarketDate,
  type MarketDateTime,
  isMarketDate,
  isMarketDateTime,
  toMarketDateTime,
} from '../values/market-time.js';
import { isInRange, RANGE_TEXT } from '../values/date-range.js';
import { dateTime, dateTimeWithMilliseconds, marketDate, openDateTime } from './fields.js';

/** Builds the zod schema of a resource in one of two variants. Each resource is one function of the builder. */
export interface SchemaBuilder {
  /**
   * `strict`, for the operator API: refuses unknown properties and checks every rule of document 000.
   *
   * `tolerant`, for clients: drops and reports unknown properties, and accepts what the document leaves open.
   */
  readonly kind: 'strict' | 'tolerant';
  /** An object of exactly these properties. */
  object<Shape extends z.ZodRawShape>(shape: Shape): z.ZodObject<Shape>;
  /** A rule in the document's prose about several fields or a label; only the strict variant checks it. */
  rule<Schema extends z.ZodType>(schema: Schema, check: (value: z.output<Schema>) => RuleViolation[]): Schema;
  /** A date-time of the exact form `yyyy-MM-ddTHH:mm:ss`. */
  dateTime(): z.ZodType<MarketDateTime, string>;
  /** As `dateTime`, absent, or null. An unset date, such as 0001-01-01, is null for the tolerant variant. */
  optionalDateTime(): z.ZodOptional<z.ZodNullable<z.ZodType<MarketDateTime | null, string>>>;
  /** A date-time of the exact form `yyyy-MM-ddTHH:mm:ss.fff`. */
  dateTimeWithMilliseconds(): z.ZodType<MarketDateTime, string>;
  /** A date-time for which the document gives no pattern. */
  openDateTime(): z.ZodType<MarketDateTime, string>;
  /** A date of the form `yyyy-MM-dd`. */
  date(): z.ZodType<MarketDate, string>;
  /** A boolean that the document also describes as 1 or 0. */
  flag(): z.ZodType<boolean>;
}

export interface RuleViolation {
  readonly path: (string | number)[];
  readonly message: string;
}

export const strictBuilder: SchemaBuilder = {
  kind: 'strict',
  object: (shape) => z.strictObject(shape),
  rule: (schema, check) =>
    schema.superRefine((value, context) => {
      for (const { path, message } of check(value)) context.addIssue({ code: 'custom', path, message });
    }),
  dateTime,
  optionalDateTime: () => dateTime().nullish(),
  dateTimeWithMilliseconds,
  openDateTime: () => openDateTime,
  date: () => marketDate,
  flag: () => z.boolean(),
};

export const tolerantBuilder: SchemaBuilder = {
  kind: 'tolerant',
  object: (shape) => refuseNumbers(z.object(shape)),
  rule: (schema) => schema,
  dateTime: () => inRange(dateTime()),
  optionalDateTime: () =>
    z
      .codec(dateTime(), z.custom<MarketDateTime | null>(), {
        decode: (value) => (isInRange(value, new Date()) ? value : null),
        encode: (value) => value as MarketDateTime,
      })
      .nullish(),
  dateTimeWithMilliseconds: () => inRange(dateTimeWithMilliseconds()),
  openDateTime: () =>
    z.codec(z.string(), inRange(openDateTime), {
      decode: (text) => normaliseDateTime(text),
      encode: (value) => value,
    }),
  date: () =>
    z.codec(z.string(), inRange(marketDate), {
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
 * A LosslessNumber is an object, so an object schema with optional properties only would accept it. The strict
 * variant refuses it without this, because its inner properties are unknown.
 */
function refuseNumbers<Shape extends z.ZodRawShape>(schema: z.ZodObject<Shape>): z.ZodObject<Shape> {
  const withCheck = z.preprocess(
    (value) => (value instanceof LosslessNumber ? Number(value.value) : value),
    schema,
  );
  return withCheck as unknown as z.ZodObject<Shape>;
}

/** Refuses an unset date, such as 0001-01-01. The strict variant accepts it, so that the sandbox can send it. */
function inRange<Schema extends z.ZodType<MarketDate | MarketDateTime, string>>(schema: Schema): Schema {
  return schema.refine((value) => isInRange(value, new Date()), RANGE_TEXT);
}

/** Reads a date as its midnight, and converts a date-time with a zone to market time. */
function normaliseDateTime(text: string): string {
  if (isMarketDate(text)) return `${text}T00:00:00`;
  const match = /^(.+?)(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.exec(text);
  const [, seconds = '', fraction = '', zone = ''] = match ?? [];
  if (match === null || !isMarketDateTime(seconds)) return text;
  const instant = new Date(`${seconds}${zone}`);
  return Number.isNaN(instant.getTime()) ? text : `${toMarketDateTime(instant)}${fraction}`;
}
