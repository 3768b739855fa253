import { z } from 'zod';
import { type JsonValue, serialiseJson } from '../values/json.js';
import { type SchemaBuilder, strictBuilder, tolerantBuilder } from './schema-builder.js';
import { formatPath } from './path.js';
import { findUnknownProperties } from './unknown-properties.js';

/** One problem of a record, and its path: `tradingDays[0].variables[1].value`. The path of the record itself is ''. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The result of reading a record. `unknownProperties` are the paths of properties that the tolerant variant dropped. */
export type ReadResult<T> =
  | { readonly ok: true; readonly value: T; readonly unknownProperties: readonly string[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The first issues in one line. A broken body of megabytes can have thousands. */
export function describeIssues(issues: readonly Issue[]): string {
  const first = issues
    .slice(0, 5)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = issues.length - first.length;
  return first.join('; ') + (more > 0 ? ` (and ${more} more)` : '');
}

/** This program tried to write a record that breaks the rules of document 000. */
export class InvalidRecordError extends Error {
  override readonly name = 'InvalidRecordError';
  constructor(
    readonly resource: string,
    readonly issues: readonly Issue[],
  ) {
    super(`${resource} cannot be written: ${describeIssues(issues)}`);
  }
}

/** A resource of document 000 with both variants of its schema. */
export interface Resource<T> {
  readonly name: string;
  readonly strict: z.ZodType<T>;
  readonly tolerant: z.ZodType<T>;
  /** Reads a value of `parseJson` and refuses unknown properties. */
  readStrict(json: JsonValue): ReadResult<T>;
  /** Reads a value of `parseJson`; drops and reports unknown properties. */
  readTolerant(json: JsonValue): ReadResult<T>;
  /** The record as a value for `serialiseJson`: decimals become numbers. @throws InvalidRecordError */
  toJson(value: T): JsonValue;
  /** The record as JSON text. @throws InvalidRecordError */
  serialise(value: T): string;
}

/** Creates both variants of a resource from one definition. */
export function defineResource<Schema extends z.ZodType>(
  name: string,
  build: (builder: SchemaBuilder) => Schema,
): Resource<z.output<Schema>> {
  type Value = z.output<Schema>;
  // Built at first use: both variants of every resource take 9 MB, and a process uses few of them.
  const strict = once(() => build(strictBuilder));
  const tolerant = once(() => build(tolerantBuilder));

  function readStrict(json: JsonValue): ReadResult<Value> {
    const result = strict().safeParse(json);
    if (!result.success) return { ok: false, issues: toIssues(result.error) };
    return { ok: true, value: result.data, unknownProperties: [] };
  }

  function readTolerant(json: JsonValue): ReadResult<Value> {
    const result = tolerant().safeParse(json);
    if (!result.success) return { ok: false, issues: toIssues(result.error) };
    return { ok: true, value: result.data, unknownProperties: findUnknownProperties(json, result.data) };
  }

  function toJson(value: Value): JsonValue {
    const result = z.safeEncode(strict(), value);
    if (!result.success) throw new InvalidRecordError(name, toIssues(result.error));
    return result.data;
  }

  return {
    name,
    get strict() {
      return strict() as unknown as z.ZodType<Value>;
    },
    get tolerant() {
      return tolerant() as unknown as z.ZodType<Value>;
    },
    readStrict,
    readTolerant,
    toJson,
    serialise: (value) => serialiseJson(toJson(value)),
  };
}

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 embeds it. */
export type JsonSchema = Record<string, unknown>;

/**
 * The JSON Schema of the strict variant, without `$schema`, so that it can be embedded. Descriptions give what JSON
 * Schema cannot express: the digits of a decimal.
 */
export function toJsonSchema(resource: { readonly strict: z.ZodType }): JsonSchema {
  // Zod cannot describe LosslessNumber; its metadata does.
  const schema: JsonSchema = { ...z.toJSONSchema(resource.strict, { io: 'input', unrepresentable: 'any' }) };
  delete schema.$schema;
  return schema;
}

function once<T extends object>(build: () => T): () => T {
  let built: T | undefined;
  return () => (built ??= build());
}

function toIssues(error: z.core.$ZodError): Issue[] {
  return error.issues.flatMap(issuesOf);
}

/** The issues of one issue of zod, which can name several unknown properties. */
export function issuesOf(issue: z.core.$ZodIssue): Issue[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: formatPath(issue.path), message: issue.message }];
  if (isLosslessNumber(issue.keys)) return [{ path: formatPath(issue.path), message: 'expected an object' }];
  return issue.keys.map((key) => ({ path: formatPath([...issue.path, key]), message: 'unknown property' }));
}

/** Whether these are the properties of a LosslessNumber in the place of an object. */
function isLosslessNumber(keys: readonly string[]): boolean {
  return keys.includes('isLosslessNumber') && keys.includes('value');
}
