import { Ajv, type ErrorObject } from 'ajv';
import type { JsonSchema } from './types/json-schema.js';

/** What of a value does not match a schema. */
export type SchemaError = ErrorObject;

/** True when a value matches the schema; otherwise `errors` has what is wrong. */
export interface SchemaValidator {
  (value: unknown): boolean;
  errors?: null | SchemaError[];
}

/** A test checks our own schemas against draft-07. That and Ajv's optimisation would take longer than to compile them. */
const ajv = new Ajv({ allErrors: true, strict: true, validateSchema: false, code: { optimize: false } });

/**
 * Compiles a schema of this project. It blocks for milliseconds, so callers keep the result.
 * @param schema with an `$id` of its own
 */
export function compileSchema(schema: JsonSchema): SchemaValidator {
  return ajv.compile(schema);
}
