import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import * as formats from 'ajv-formats';
import { LRUCache } from 'lru-cache';
import { patternSteps, schemaSteps } from './step-estimate.js';
import { isMultipleOf } from './draft-07.js';
import type { SchemaProblem } from '../../errors/refusal.js';

/** The text of a topic's schema is not a JSON Schema of draft-07. */
export class BadSchemaError extends Error {
  override readonly name = 'BadSchemaError';
}

/** The check could take more steps than allowed. */
class TooManyStepsError extends Error {}

/**
 * What is wrong with a payload; empty when it fits.
 * @returns undefined when the check could take more steps than allowed
 */
export type PayloadCheck = (payload: string) => readonly SchemaProblem[] | undefined;

const addFormats = formats.default.default;

/**
 * @param maxSteps bound of one check, by the estimate of check-steps.ts
 * @throws BadSchemaError with what is wrong with the schema
 */
export function compileTopicSchema(text: string, maxSteps: number): PayloadCheck {
  const schema = parseSchema(text);
  const steps = { left: Infinity };
  let validate: ValidateFunction;
  try {
    // Of OpenAPI, and Ajv goes by it.
    ignoreKeyword(schema, 'nullable');
    validate = validatorOf(schema, steps);
    if ('$async' in validate) throw new BadSchemaError('asynchronous schemas are not supported');
    if (EMPTY_VALUES.some((value) => isEndless(validate, value))) {
      throw new BadSchemaError('it refers to itself without end');
    }
  } catch (error) {
    if (error instanceof BadSchemaError) throw error;
    throw new BadSchemaError(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const withoutPatterns = schemaSteps(schema);
  return (payload) => {
    steps.left = maxSteps - (maxSteps === Infinity ? 0 : withoutPatterns(payload.length));
    if (steps.left < 0) return undefined;
    let value: unknown;
    try {
      value = JSON.parse(payload);
    } catch {
      // Without the parser's own words: they repeat a part of the payload, and a refusal is logged.
      return [{ path: '', message: 'is not JSON' }];
    }
    return problemsOf(validate, value);
  };
}

function problemsOf(validate: ValidateFunction, value: unknown): readonly SchemaProblem[] | undefined {
  try {
    return validate(value) ? [] : (validate.errors ?? []).map(problem);
  } catch (error) {
    if (error instanceof TooManyStepsError) return undefined;
    // A recursive schema over a deeply nested payload exhausts the stack: the payload's fault, not ours.
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

/** One Ajv a schema: two topics may carry the same $id. Unknown keywords are allowed, as draft-07 §6.4 says. */
function validatorOf(schema: boolean | object, steps: { left: number }): ValidateFunction {
  const regExp = Object.assign((pattern: string, flags: string) => countedRegExp(pattern, flags, steps), {
    code: 'new RegExp',
  });
  // A property is what the payload has, not what every object inherits.
  const ajv = new Ajv({
    strict: false,
    allErrors: false,
    logger: false,
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

/** A regular expression whose every test takes its estimated steps from what is left. */
function countedRegExp(pattern: string, flags: string, steps: { left: number }) {
  const expression = new RegExp(pattern, flags);
  const needed = patternSteps(pattern);
  return {
    test: (text: string): boolean => {
      if (steps.left !== Infinity) steps.left -= needed(text.length);
      if (steps.left < 0) throw new TooManyStepsError();
      return expression.test(text);
    },
    // Ajv tells patterns apart by it.
    toString: () => String(expression),
  };
}

/** With nothing in them to descend into, so that a check of one ends at once unless the schema goes in a circle. */
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

function problem({ instancePath, message, keyword }: ErrorObject): SchemaProblem {
  return { path: instancePath, message: message ?? `fails ${keyword}` };
}

/** All schemas of one cache together. A compiled schema takes memory by its text, and at least as for so many characters. */
const MAX_CHARACTERS = 16_777_216;
const MIN_CHARACTERS_EACH = 16_384;

/** Least recently used schemas leave first, by their text. */
export function schemaCache<T extends object>(): LRUCache<string, T> {
  return new LRUCache({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + MIN_CHARACTERS_EACH,
  });
}

/** Keywords of draft-07 whose members are named by the schema's author. */
const BY_NAME = new Set(['properties', 'patternProperties', 'definitions', 'dependencies']);
/** Keywords whose value is data. */
const DATA = new Set(['enum', 'const', 'default', 'examples']);

/**
 * Takes a keyword that draft-07 does not know out of a parsed schema and all that may be a schema within it: §6.4 has it ignored, while a
 * validator may go by it.
 */
export function ignoreKeyword(schema: unknown, keyword: string): void {
  const waiting: { readonly value: unknown; readonly named: boolean }[] = [{ value: schema, named: false }];
  for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
    const { value, named } = each;
    if (typeof value !== 'object' || value === null) continue;
    if (!named && !Array.isArray(value)) Reflect.deleteProperty(value, keyword);
    for (const [key, part] of Object.entries(value) as [string, unknown][]) {
      if (named || !DATA.has(key)) waiting.push({ value: part, named: !named && BY_NAME.has(key) });
    }
  }
}
