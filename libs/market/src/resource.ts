import { z } from 'zod';
import { type Form, strictForm, tolerantForm } from './form.js';
import { type WireJson, serialiseJson } from './json.js';

/** One thing wrong with a record, and where: `tradingDays[0].variables[1].value`. The path of the record itself is ''. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The verdict on a record. `unknownProperties` are the paths of properties that the tolerant form dropped. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T; readonly unknownProperties: readonly string[] }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** The first few issues in one line: a broken body of megabytes has thousands of them. */
export function describeIssues(issues: readonly Issue[]): string {
  const first = issues.slice(0, 5).map(({ path, message }) => `${path}: ${message}`);
  const more = issues.length - first.length;
  return first.join('; ') + (more > 0 ? ` (and ${more} more)` : '');
}

/** A record that was written by this program and does not keep the document's rules: misuse, not a bad answer. */
export class InvalidRecordError extends Error {
  override readonly name = 'InvalidRecordError';
  constructor(
    readonly resource: string,
    readonly issues: readonly Issue[],
  ) {
    super(`${resource} cannot be written: ${describeIssues(issues)}`);
  }
}

/** A resource of document 000, defined once and usable in both forms. */
export interface Resource<T> {
  readonly name: string;
  readonly strict: z.ZodType<T>;
  readonly tolerant: z.ZodType<T>;
  /** Reads what `parseJson` gave, refusing unknown properties. */
  readStrict(wire: WireJson): Reading<T>;
  /** Reads what `parseJson` gave, dropping and naming unknown properties. */
  readTolerant(wire: WireJson): Reading<T>;
  /** The record as `serialiseJson` takes it: decimals become numbers again. @throws InvalidRecordError */
  toWire(value: T): WireJson;
  /** The record as JSON text. @throws InvalidRecordError */
  serialise(value: T): string;
}

/** Makes both forms of a resource from its one definition. */
export function defineResource<Schema extends z.ZodType>(
  name: string,
  build: (form: Form) => Schema,
): Resource<z.output<Schema>> {
  type Value = z.output<Schema>;
  // Built at first use: both forms of every resource take 9 MB of memory, and a process reads few of them.
  const strict = once(() => build(strictForm));
  const tolerant = once(() => build(tolerantForm));

  function readStrict(wire: WireJson): Reading<Value> {
    const result = strict().safeParse(wire);
    if (!result.success) return { ok: false, issues: issuesOf(result.error) };
    return { ok: true, value: result.data, unknownProperties: [] };
  }

  function readTolerant(wire: WireJson): Reading<Value> {
    const result = tolerant().safeParse(wire);
    if (!result.success) return { ok: false, issues: issuesOf(result.error) };
    return { ok: true, value: result.data, unknownProperties: unknownPropertiesIn(strict(), wire) };
  }

  function toWire(value: Value): WireJson {
    const result = z.safeEncode(strict(), value);
    if (!result.success) throw new InvalidRecordError(name, issuesOf(result.error));
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
    toWire,
    serialise: (value) => serialiseJson(toWire(value)),
  };
}

function once<T extends object>(build: () => T): () => T {
  let built: T | undefined;
  return () => (built ??= build());
}

/** The strict form already knows which properties are unknown: its other complaints do not matter here. */
function unknownPropertiesIn(strict: z.ZodType, wire: WireJson): string[] {
  const result = strict.safeParse(wire);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => writePath([...issue.path, key])) : [],
  );
}

function issuesOf(error: z.core.$ZodError): Issue[] {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ path: writePath(issue.path), message: issue.message }];
    if (isWireNumber(issue.keys)) return [{ path: writePath(issue.path), message: 'expected an object' }];
    return issue.keys.map((key) => ({ path: writePath([...issue.path, key]), message: 'unknown property' }));
  });
}

/** Whether these are the inner properties of a number in an object's place. */
function isWireNumber(keys: readonly string[]): boolean {
  return keys.includes('isLosslessNumber') && keys.includes('value');
}

function writePath(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (written, part) =>
      typeof part === 'number'
        ? `${written}[${part}]`
        : written === ''
          ? String(part)
          : `${written}.${String(part)}`,
    '',
  );
}
