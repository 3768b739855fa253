import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schemas of values that several places of the chart share. */

export const string: JsonSchema = { type: 'string' };
export const strings: JsonSchema = { type: 'array', items: { type: 'string', minLength: 1 } };
export const anyObject: JsonSchema = { type: 'object' };
export const objects: JsonSchema = { type: 'array', items: anyObject };
export const texts: JsonSchema = { type: 'object', additionalProperties: string };
export const ports: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: { type: 'integer', minimum: 1, maximum: 65_535 },
};

export const choice = (...values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
export const matching = (pattern: string): JsonSchema => ({ type: 'string', pattern });
export const ref = (name: string): JsonSchema => ({ $ref: `#/definitions/${name}` });

/** An object without further properties. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required?: readonly string[],
): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    properties,
    ...(required !== undefined && { required }),
  };
}

/** The JSON Schema of what a setting or a part of the configuration accepts, or of its parsed value. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonSchema {
  const converted = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-7' });
  return { ...converted, $schema: undefined };
}
