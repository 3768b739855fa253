import { createRequire } from 'node:module';
import { isWellFormed } from './utf8.js';

// The package is CommonJS with a function for its module, which its type declarations do not say for ESM.
const canonicalize = createRequire(import.meta.url)('canonicalize') as (value: unknown) => string;

export type NotCanonicalReason =
  | 'undefined'
  | 'not-finite'
  | 'lone-surrogate'
  | 'array-hole'
  | 'not-json'
  | 'too-deep';

/** The value has no canonical form. `path` is a JSON Pointer (RFC 6901) to what has none; the value itself is not told. */
export class NotCanonicalError extends Error {
  override readonly name = 'NotCanonicalError';

  constructor(
    readonly reason: NotCanonicalReason,
    readonly path: string,
  ) {
    super(`no canonical form: ${reason} at ${path === '' ? 'the top' : path}`);
  }
}

/** Deeper than any document of ours, and far from exhausting the stack. */
const DEEPEST = 500;

/**
 * The canonical form of a JSON value, RFC 8785. As `JSON.stringify` does, it asks `toJSON` and leaves out members that are undefined;
 * unlike it, it refuses what would otherwise silently become something else.
 * @throws NotCanonicalError for undefined (at the top or in an array), NaN and infinity, lone surrogates (RFC 8785 §3.2.2.2), holes in
 *   arrays, bigints, functions and symbols, and nesting beyond 500
 */
export function canonicalJson(value: unknown): string {
  refuseUncanonical(value, '', 0);
  return canonicalize(value);
}

function refuseUncanonical(value: unknown, path: string, depth: number): void {
  switch (typeof value) {
    case 'boolean':
      return;
    case 'string':
      return refuseLoneSurrogate(value, path);
    case 'number':
      if (!Number.isFinite(value)) throw new NotCanonicalError('not-finite', path);
      return;
    case 'object':
      if (value !== null) refuseUncanonicalParts(value, path, depth + 1);
      return;
    case 'undefined':
      throw new NotCanonicalError('undefined', path);
    case 'bigint':
    case 'function':
    case 'symbol':
      throw new NotCanonicalError('not-json', path);
  }
}

function refuseUncanonicalParts(value: object, path: string, depth: number): void {
  if (depth > DEEPEST) throw new NotCanonicalError('too-deep', path);
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return refuseUncanonical((value as { toJSON(): unknown }).toJSON(), path, depth);
  }
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at += 1) {
      if (!(at in value)) throw new NotCanonicalError('array-hole', `${path}/${at}`);
      refuseUncanonical(value[at], `${path}/${at}`, depth);
    }
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    refuseLoneSurrogate(name, path);
    if (member !== undefined) refuseUncanonical(member, `${path}/${pointerPart(name)}`, depth);
  }
}

function refuseLoneSurrogate(text: string, path: string): void {
  if (!isWellFormed(text)) throw new NotCanonicalError('lone-surrogate', path);
}

function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
