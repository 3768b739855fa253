import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import * as formats from 'ajv-formats';
import { isMultipleOf } from './multiple-of.js';
import type { SchemaProblem } from './refusal.js';
import { schemaWork } from './schema-work.js';
import type { TimeLimit } from './time-limit.js';
import { ignoreKeyword } from './unknown-keywords.js';

/** The text of a topic's schema is not a JSON Schema of draft-07. */
export class BadSchemaError extends Error {
  override readonly name = 'BadSchemaError';
}

const addFormats = formats.default.default;

/**
 * Compiling takes milliseconds, so whatever is in use should be remembered. What a compiled schema takes grows with its text, but for the
 * validator of its own that the shortest has: that counts as so many characters, so that some thousand short ones are remembered.
 */
const MOST_COMPILED_CHARACTERS = 16_777_216;
const CHARACTERS_OF_EACH = 16_384;

/** Steps of a check that are never too many: some 20 ms of regular expressions. */
const FEW_STEPS = 2 ** 25;

const TOO_LONG: readonly SchemaProblem[] = [
  { path: '', message: 'takes too long to be checked against this schema' },
];

interface Compiled {
  readonly validate: ValidateFunction;
  /** Steps that the check of a payload can take at the worst. */
  readonly work: (payload: string) => number;
}

/**
 * Topic schemas compiled once each; the least recently used is forgotten first. Pure but for the memory of what it compiled. What could
 * take long is done within a limit of time: a schema is written by whoever manages a channel, and a check holds up every other channel.
 */
export class TopicSchemas {
  /** By text, the least recently used first. */
  private readonly compiled = new Map<string, Compiled>();
  private characters = 0;

  /** @param limits of checking a payload, and of compiling a schema */
  constructor(private readonly limits: { readonly check: TimeLimit; readonly compile: TimeLimit }) {}

  /** @throws BadSchemaError with what is wrong with the schema */
  compile(schema: string): void {
    if (this.find(schema) === undefined) throw new BadSchemaError('it takes too long to be compiled');
  }

  private find(schema: string): Compiled | undefined {
    const known = this.compiled.get(schema);
    if (known) {
      this.compiled.delete(schema);
      this.compiled.set(schema, known);
      return known;
    }
    const outcome = this.limits.compile.run(schema, () => compileSchema(schema));
    if (outcome === undefined) return undefined;
    this.compiled.set(schema, outcome.value);
    this.characters += schema.length + CHARACTERS_OF_EACH;
    this.forgetSome();
    return outcome.value;
  }

  private forgetSome(): void {
    for (const oldest of this.compiled.keys()) {
      if (this.characters <= MOST_COMPILED_CHARACTERS) return;
      this.compiled.delete(oldest);
      this.characters -= oldest.length + CHARACTERS_OF_EACH;
    }
  }

  /** What is wrong with a payload; empty when it fits. A schema of `true` takes any text, JSON or not. */
  check(schema: string, payload: string): readonly SchemaProblem[] {
    if (schema === 'true') return [];
    const compiled = this.find(schema);
    if (compiled === undefined) return TOO_LONG;
    const { validate, work } = compiled;
    let value: unknown;
    try {
      value = JSON.parse(payload);
    } catch {
      // Without the parser's own words: they repeat a part of the payload, and a refusal is logged along the road.
      return [{ path: '', message: 'is not JSON' }];
    }
    if (work(payload) <= FEW_STEPS) return judge(validate, value);
    const outcome = this.limits.check.run(schema, () => judge(validate, value));
    return outcome?.value ?? TOO_LONG;
  }
}

function judge(validate: ValidateFunction, value: unknown): readonly SchemaProblem[] {
  try {
    return validate(value) ? [] : (validate.errors ?? []).map(problem);
  } catch (error) {
    // A recursive schema over a deeply nested payload exhausts the stack: the payload's fault, not ours.
    if (error instanceof RangeError) return [{ path: '', message: 'is nested too deeply' }];
    throw error;
  }
}

function compileSchema(text: string): Compiled {
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
  try {
    // Of OpenAPI, and Ajv goes by it.
    ignoreKeyword(schema, 'nullable');
    const validate = validatorOf(schema);
    if ('$async' in validate) throw new BadSchemaError('asynchronous schemas are not supported');
    if (EMPTY_VALUES.some((value) => isEndless(validate, value))) {
      throw new BadSchemaError('it refers to itself without end');
    }
    return { validate, work: schemaWork(schema) };
  } catch (error) {
    if (error instanceof BadSchemaError) throw error;
    throw new BadSchemaError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/** One Ajv a schema: two topics may carry the same $id. Unknown keywords are allowed, as draft-07 §6.4 says. */
function validatorOf(schema: boolean | object): ValidateFunction {
  // A property is what the payload has, not what every object inherits.
  const ajv = new Ajv({ strict: false, allErrors: false, logger: false, ownProperties: true });
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
