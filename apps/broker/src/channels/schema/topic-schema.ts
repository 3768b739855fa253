import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import * as formats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import type { SchemaProblem } from '../../errors/refusal.js';
import { isMultipleOf, removeKeyword } from './draft-07.js';
import { estimatePatternSteps, estimateSchemaSteps } from './step-estimate.js';

/** The text of a topic's schema is not a JSON Schema of draft-07. */
export class BadSchemaError extends Error {
  override readonly name = 'BadSchemaError';
}

class TooManyStepsError extends Error {}

/**
 * The problems of a payload; empty when it is valid.
 * @returns undefined when the check could take more steps than allowed
 */
export type PayloadCheck = (payload: string) => readonly SchemaProblem[] | undefined;

const addFormats = formats.default.default;

/**
 * @param maxSteps maximum of one check, by the estimate of step-estimate.ts
 * @throws BadSchemaError with the fault of the schema
 */
export function compileTopicSchema(text: string, maxSteps: number): PayloadCheck {
  const schema = parseSchema(text);
  const steps = { left: Infinity };
  let validate: ValidateFunction;
  try {
    // An OpenAPI keyword that Ajv applies.
    removeKeyword(schema, 'nullable');
    validate = createValidator(schema, steps);
    if ('$async' in validate) throw new BadSchemaError('asynchronous schemas are not supported');
    if (EMPTY_VALUES.some((value) => isEndless(validate, value))) {
      throw new BadSchemaError('it refers to itself without end');
    }
  } catch (error) {
    if (error instanceof BadSchemaError) throw error;
    throw new BadSchemaError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const estimateSteps = estimateSchemaSteps(schema);
  return (payload) => {
    steps.left = maxSteps - (maxSteps === Infinity ? 0 : estimateSteps(payload.length));
    if (steps.left < 0) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(payload);
    } catch {
      // Without the parser's message, which repeats a part of the payload.
      return [{ path: '', message: 'is not JSON' }];
    }
    return findProblems(validate, value);
  };
}

function findProblems(validate: ValidateFunction, value: unknown): readonly SchemaProblem[] | undefined {
  try {
    return validate(value) ? [] : (validate.errors ?? []).map(toProblem);
  } catch (error) {
    if (error instanceof TooManyStepsError) return undefined;
    // A recursive schema over a deeply nested payload exhausts the stack.
    if (error instanceof RangeError) return [{ path: '', message: 'is nested too deeply' }];
    throw error;
  }
}

function parseSchema(text: string): boolean | object {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (cause) {
    throw new BadSchemaError('it is not JSON', { cause });
  }
  if (
    typeof schema !== 'boolean' &&
    (typeof schema !== 'object' || schema === null || Array.isArray(schema))
  ) {
    throw new BadSchemaError('it is neither an object nor a boolean');
  }
  return schema;
}

/** One Ajv for each schema, as two topics may use the same $id. Unknown keywords are allowed (draft-07 §6.4). */
function createValidator(schema: boolean | object, steps: { left: number }): ValidateFunction {
  const regExp = Object.assign((pattern: string, flags: string) => countedRegExp(pattern, flags, steps), {
    code: 'new RegExp',
  });
  const ajv = new Ajv({
    strict: false,
    allErrors: false,
    logger: false,
    // Inherited properties do not count.
    ownProperties: true,
    code: { regExp },
  });
  addFormats(ajv);
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    metaSchema: { type: 'number', exclusiveMinimum: 0 },
    validate: (divisor: number, value: number) => isMultipleOf(value, divisor),
    error: { message: ({ schema: divisor }) => `must be multiple of ${String(divisor)}` },
  });
  return ajv.compile(schema);
}

/** A regular expression that subtracts its estimated steps at every test. */
function countedRegExp(pattern: string, flags: string, steps: { left: number }) {
  const expression = new RegExp(pattern, flags);
  const estimateSteps = estimatePatternSteps(pattern);
  return {
    test: (text: string): boolean => {
      if (steps.left !== Infinity) steps.left -= estimateSteps(text.length);
      if (steps.left < 0) throw new TooManyStepsError();
      return expression.test(text);
    },
    // Ajv compares patterns by this text.
    toString: () => String(expression),
  };
}

/** Values without members, so that a check ends at once unless the schema refers to itself. */
const EMPTY_VALUES: readonly unknown[] = [null, '', 0, false, [], {}];

function isEndless(validate: ValidateFunction, value: unknown): boolean {
  try {
    validate(value);
    return false;
  } catch (error) {
    if (error instanceof RangeError) return true;
    throw error;
  }
}

function toProblem({ instancePath, message, keyword }: ErrorObject): SchemaProblem {
  return { path: instancePath, message: message ?? `fails ${keyword}` };
}

/** Of all schemas of one cache. The memory of a compiled schema grows with its text, from a minimum. */
const MAX_CHARACTERS = 16_777_216;
const MIN_CHARACTERS_PER_SCHEMA = 16_384;

/** An LRU cache by a schema's text. */
export function createSchemaCache<T extends object>(): LRUCache<string, T> {
  return new LRUCache({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + MIN_CHARACTERS_PER_SCHEMA,
  });
}
