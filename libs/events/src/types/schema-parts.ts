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

export const text = (maxLength: number): JsonSchema => ({ type: 'string', minLength: 1, maxLength });
export const oneOf = (...values: readonly string[]): JsonSchema => ({ enum: values });
export const integer = (minimum: number, maximum: number): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
});
export const boolean: JsonSchema = { type: 'boolean' };

export const pattern = (source: string): JsonSchema => ({ type: 'string', pattern: source });

/** A decimal string: at most 28 digits before and 8 after the point, nothing lost to a double. */
export const decimal = pattern('^-?\\d{1,28}(\\.\\d{1,8})?$');

/** `yyyy-MM-dd` and `HH:mm:ss` in regular expressions: no thirteenth month, no hour 24. */
export const DATE = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])';
export const TIME_OF_DAY = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d';

/** Zone-less market time, with as many decimals of a second as the market's client accepts. */
export const dateTime = pattern(`^${DATE}T${TIME_OF_DAY}(\\.\\d{1,9})?$`);
export const date = pattern(`^${DATE}$`);
