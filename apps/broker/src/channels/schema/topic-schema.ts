import { MissingRefError, type ErrorObject, type ValidateFunction } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { LRUCache } from 'lru-cache';
import type { SchemaProblem } from '../../errors/refusal.js';
import { createValidator, TooManyStepsError } from './drafts/create-validator.js';
import { getMetaSchema } from './drafts/draft.js';
import { BadSchemaError, prepareSchema, readDraft, type SchemaWarning } from './drafts/prepare-schema.js';
import { estimateSchemaSteps } from './step-estimate.js';

/**
 * The problems of a payload; empty when it is valid.
 * @returns undefined when the check could take more steps than allowed
 */
export type PayloadCheck = (payload: string) => readonly SchemaProblem[] | undefined;

export interface CompiledSchema {
  readonly check: PayloadCheck;
  /** The parts of the schema that are not evaluated. */
  readonly warnings: readonly SchemaWarning[];
}

/** Formats are checked in every draft, as in draft-07 §7. */
const isFormat = (name: string): boolean => Object.hasOwn(fullFormats, name);

/** Checks a schema against the meta-schema of its draft. @throws BadSchemaError with the first fault */
export function checkTopicSchema(text: string): void {
  const schema = parseSchema(text);
  const draft = readDraft(schema);
  const validate = getMetaSchema(draft);
  if (withBadSchemaErrors(() => validate(schema))) return;
  const { instancePath = '', message = 'is invalid' } = validate.errors?.[0] ?? {};
  throw new BadSchemaError(`by ${draft.name}, its part "${instancePath}" ${message}`);
}

/**
 * @param text that `checkTopicSchema` accepts
 * @param maxSteps maximum of one check, by the estimate of step-estimate.ts
 * @returns what checks no payload when even an empty one could exceed the maximum; Ajv does not compile such a schema
 * @throws BadSchemaError with the fault of the schema
 */
export function compileTopicSchema(text: string, maxSteps: number): CompiledSchema {
  const schema = parseSchema(text);
  const draft = readDraft(schema);
  const steps = { left: Infinity };
  return withBadSchemaErrors(() => {
    const estimateSteps = estimateSchemaSteps(schema);
    const warnings = prepareSchema(schema, draft, isFormat);
    if (estimateSteps(0) > maxSteps) return { check: () => undefined, warnings };
    const validate = createValidator(schema, draft, steps);
    if ('$async' in validate) throw new BadSchemaError('asynchronous schemas are not supported');
    if (EMPTY_VALUES.some((value) => isEndless(validate, value))) {
      throw new BadSchemaError('it refers to itself without end');
    }
    const check = (payload: string): readonly SchemaProblem[] | undefined => {
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
    return { check, warnings };
  });
}

/** Every error of Ajv is a fault of the schema. */
function withBadSchemaErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof BadSchemaError) throw cause;
    if (cause instanceof RangeError) {
      throw new BadSchemaError('it is nested too deeply, or its references have no end', [], { cause });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    const hint = cause instanceof MissingRefError ? '; a schema must contain what it refers to' : '';
    throw new BadSchemaError(reason + hint, [], { cause });
  }
}

/** The message of a check that failed by an error of this program. */
export const CANNOT_BE_CHECKED = 'cannot be checked against this schema';

/** @returns undefined when the check takes too many steps. It throws nothing, as the author of a payload must not cause an error. */
export function findProblems(
  validate: Pick<ValidateFunction, 'errors'> & ((value: unknown) => unknown),
  value: unknown,
): readonly SchemaProblem[] | undefined {
  try {
    return validate(value) ? [] : (validate.errors ?? []).map(toProblem);
  } catch (error) {
    if (error instanceof TooManyStepsError) return undefined;
    // A recursive schema over a deeply nested payload exhausts the stack.
    if (error instanceof RangeError) return [{ path: '', message: 'is nested too deeply' }];
    return [{ path: '', message: CANNOT_BE_CHECKED }];
  }
}

function parseSchema(text: string): boolean | object {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (cause) {
    throw new BadSchemaError('it is not JSON', [], { cause });
  }
  if (
    typeof schema !== 'boolean' &&
    (typeof schema !== 'object' || schema === null || Array.isArray(schema))
  ) {
    throw new BadSchemaError('it is neither an object nor a boolean');
  }
  return schema;
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

/** Limit of all schemas of one cache. The memory of a compiled schema grows with its text, from a minimum. */
const MAX_CHARACTERS = 16_777_216;
const MIN_CHARACTERS_PER_SCHEMA = 16_384;

/** An LRU cache by a schema's text. */
export function createSchemaCache<T extends object>(): LRUCache<string, T> {
  return new LRUCache({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_, text) => text.length + MIN_CHARACTERS_PER_SCHEMA,
  });
}
