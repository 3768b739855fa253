/** Parts that the types' JSON schemas (draft-07) are put together from. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Every property required unless named in `optional`; nothing else allowed. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

/** A text that means something by itself: never empty. */
export const text = (maxLength: number): JsonSchema => ({ type: 'string', minLength: 1, maxLength });
/** A label of the operator's, which may be empty: a fact is not held back for a missing label. */
export const label = (maxLength: number): JsonSchema => ({ type: 'string', maxLength });
export const oneOf = (...values: readonly string[]): JsonSchema => ({ enum: values });
export const integer = (minimum: number, maximum: number): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
});
export const boolean: JsonSchema = { type: 'boolean' };

export const pattern = (source: string): JsonSchema => ({ type: 'string', pattern: source });

/**
 * A decimal string in plain notation: no exponent, no plus, no leading zeros. It may be far longer than a decimal(23,8): document 000
 * declares the prudential figures without limits, and a breach must not be held back for one digit more.
 */
export const decimal: JsonSchema = { ...pattern('^-?(0|[1-9]\\d*)(\\.\\d+)?$'), maxLength: 802 };

/** `yyyy-MM-dd` and `HH:mm:ss` in regular expressions: no thirteenth month, no hour 24. */
export const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
export const TIME_OF_DAY = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';

/** Zone-less market time, with as many decimals of a second as the market's client accepts. */
export const dateTime = pattern(`^${DATE}T${TIME_OF_DAY}(\\.\\d{1,9})?$`);
export const date = pattern(`^${DATE}$`);
