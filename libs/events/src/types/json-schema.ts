/** A JSON Schema, draft-07. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Every property is required unless `optional` names it; other properties are refused. */
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

/** A text that is never empty. */
export const text = (maxLength: number): JsonSchema => ({ type: 'string', minLength: 1, maxLength });
/** A label from the market. It may be empty, because an event must not fail for a missing label. */
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
 * A decimal string in plain notation: no exponent, no plus, no leading zeros. Longer than decimal(23,8), because
 * document 000 gives prudential figures no limit.
 */
export const decimal: JsonSchema = { ...pattern('^-?(0|[1-9]\\d*)(\\.\\d+)?$'), maxLength: 802 };

/** Regular expressions of `yyyy-MM-dd` and `HH:mm:ss`. */
export const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
export const TIME_OF_DAY = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';

/** Zone-less market time, with up to nine decimals of a second. */
export const dateTime = pattern(`^${DATE}T${TIME_OF_DAY}(\\.\\d{1,9})?$`);
export const date = pattern(`^${DATE}$`);
/** A time in UTC with milliseconds, RFC 3339. */
export const instant = pattern(`^${DATE}T${TIME_OF_DAY}\\.\\d{3}Z$`);
