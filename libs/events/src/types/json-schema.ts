/** A JSON Schema, draft-07. */
export type JsonSchema = Readonly<Record<string, unknown>>;

declare const valueType: unique symbol;

/** A JSON Schema together with the TypeScript type of its values, so that both have one definition. */
export interface Schema<T> extends JsonSchema {
  readonly [valueType]?: T;
}

/** The TypeScript type of the values of a schema. */
export type ValueOf<S> = S extends Schema<infer T> ? T : never;

type Properties = Readonly<Record<string, JsonSchema>>;
type Members<P extends Properties, Optional extends keyof P> = {
  readonly [Name in keyof P as Name extends Optional ? never : Name]: ValueOf<P[Name]>;
} & { readonly [Name in Optional]?: ValueOf<P[Name]> };
type Flat<T> = { readonly [Name in keyof T]: T[Name] };

/** Every property is required unless `optional` names it; other properties are refused. */
export function object<const P extends Properties, const Optional extends keyof P & string = never>(
  properties: P,
  optional: readonly Optional[] = [],
): Schema<Flat<Members<P, Optional>>> {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.some((other) => other === name)),
    additionalProperties: false,
  };
}

/** A list; without `maxItems` its length has no limit. */
export function list<T>(items: Schema<T>, maxItems?: number): Schema<readonly T[]> {
  return { type: 'array', items, ...(maxItems !== undefined && { maxItems }) };
}

/** A text that is never empty. */
export const text = (maxLength: number): Schema<string> => ({ type: 'string', minLength: 1, maxLength });
/** A text of visible ASCII characters without spaces. */
export const printable = (maxLength: number): Schema<string> => ({ ...pattern('^[!-~]+$'), maxLength });
/** A label from the market. It may be empty, because an event must not fail for a missing label. */
export const label = (maxLength: number): Schema<string> => ({ type: 'string', maxLength });
export const oneOf = <const T extends string>(...values: readonly T[]): Schema<T> => ({ enum: values });
export const constant = <const T extends string | boolean>(value: T): Schema<T> => ({ const: value });
export const integer = (minimum: number, maximum: number): Schema<number> => ({
  type: 'integer',
  minimum,
  maximum,
});
export const boolean: Schema<boolean> = { type: 'boolean' };

/** A text of visible ASCII characters. Many engines match `$` before a line end, so other characters are refused apart from it. */
export const pattern = (source: string): Schema<string> => ({
  type: 'string',
  pattern: source,
  not: { pattern: '[^!-~]' },
});

/**
 * A decimal string in plain notation: no exponent, no plus, no leading zeros. Longer than decimal(23,8), because
 * document 000 gives prudential figures no limit.
 */
export const decimal: Schema<string> = { ...pattern('^-?(0|[1-9][0-9]*)(\\.[0-9]+)?$'), maxLength: 802 };

/** Regular expressions of `yyyy-MM-dd` and `HH:mm:ss`. `\d` has further digits in some engines. */
export const DATE = '[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])';
export const TIME_OF_DAY = '([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]';

/** Zone-less market time, with up to nine decimals of a second. */
export const dateTime = pattern(`^${DATE}T${TIME_OF_DAY}(\\.[0-9]{1,9})?$`);
export const date = pattern(`^${DATE}$`);
/** A time in UTC with milliseconds, RFC 3339. */
export const instant = pattern(`^${DATE}T${TIME_OF_DAY}\\.[0-9]{3}Z$`);
/** SHA-256, lower-case hexadecimal. */
export const sha256 = pattern('^[0-9a-f]{64}$');

export const MAX_INT32 = 2_147_483_647;

/** Adds what a reader must know: the meaning with its unit, and the operator's field it comes from. */
export function described<T>(schema: Schema<T>, description: string, source?: string): Schema<T> {
  return { ...schema, description, ...(source !== undefined && { $comment: `Source: ${source}` }) };
}
