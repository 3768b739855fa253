import canonicalizeModule from 'canonicalize';
import { isWellFormed } from './utf8.js';

// The package exports one CommonJS function; its type declarations are wrong for ESM.
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string;

export type NotCanonicalReason =
  | 'undefined'
  | 'not-finite'
  | 'lone-surrogate'
  | 'array-hole'
  | 'not-json'
  | 'too-deep';

/** The value has no canonical form. `path` is a JSON Pointer (RFC 6901); the error does not contain the value. */
export class NotCanonicalError extends Error {
  override readonly name = 'NotCanonicalError';

  constructor(
    readonly reason: NotCanonicalReason,
    readonly path: string,
  ) {
    super(`no canonical form: ${reason} at ${path === '' ? 'the root' : path}`);
  }
}

/** Deeper than any event, and far from a stack overflow. */
const MAX_DEPTH = 500;

/**
 * The canonical form of a JSON value, RFC 8785. It calls `toJSON` and omits undefined members as `JSON.stringify`
 * does, but throws for values that `JSON.stringify` would replace silently.
 * @throws NotCanonicalError for undefined (root or array item), NaN, infinity, lone surrogates (RFC 8785 §3.2.2.2),
 *   array holes, bigints, functions, symbols, and more than 500 levels
 */
export function canonicalJson(value: unknown): string {
  assertCanonical(value, '', 0);
  return canonicalize(value);
}

function assertCanonical(value: unknown, path: string, depth: number): void {
  switch (typeof value) {
    case 'boolean':
      return;
    case 'string':
      return assertWellFormed(value, path);
    case 'number':
      if (!Number.isFinite(value)) throw new NotCanonicalError('not-finite', path);
      return;
    case 'object':
      if (value !== null) assertCanonicalMembers(value, path, depth + 1);
      return;
    case 'undefined':
      throw new NotCanonicalError('undefined', path);
    case 'bigint':
    case 'function':
    case 'symbol':
      throw new NotCanonicalError('not-json', path);
  }
}

function assertCanonicalMembers(value: object, path: string, depth: number): void {
  if (depth > MAX_DEPTH) throw new NotCanonicalError('too-deep', path);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return assertCanonical((value as { toJSON(): unknown }).toJSON(), path, depth);
  }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      if (!(index in value)) throw new NotCanonicalError('array-hole', `${path}/${index}`);
      assertCanonical(value[index], `${path}/${index}`, depth);
    }
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    assertWellFormed(name, path);
    if (member !== undefined) assertCanonical(member, `${path}/${escapePointer(name)}`, depth);
  }
}

function assertWellFormed(text: string, path: string): void {
  if (!isWellFormed(text)) throw new NotCanonicalError('lone-surrogate', path);
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
