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

/** A decimal string: at most 28 digits before and 8 after the point, nothing lost to a double. */
export const decimal: JsonSchema = { type: 'string', pattern: '^-?\\d{1,28}(\\.\\d{1,8})?$' };

/** Zone-less market time. */
export const dateTime: JsonSchema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,3})?$',
};
export const date: JsonSchema = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' };
