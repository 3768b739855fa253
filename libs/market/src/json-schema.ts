import { z } from 'zod';

/** A schema of JSON Schema draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = Record<string, unknown>;

/**
 * The resource on the wire as a JSON Schema: decimals are numbers, market times are strings with a pattern. What JSON
 * Schema cannot say stands in the descriptions: how many digits a decimal has, and 29 February in a common year. The
 * answer names no `$schema`, so that it can be embedded.
 */
export function jsonSchemaOf(resource: { readonly strict: z.ZodType }): JsonSchema {
  // A wire number is a class of our own, which zod cannot tell in JSON Schema: its metadata says what it is.
  const schema: JsonSchema = { ...z.toJSONSchema(resource.strict, { io: 'input', unrepresentable: 'any' }) };
  delete schema.$schema;
  return schema;
}
