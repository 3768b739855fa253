import { createRequire } from 'node:module';

// The package is CommonJS with a function for its module, which its type declarations do not say for ESM.
const canonicalize = createRequire(import.meta.url)('canonicalize') as (value: unknown) => string | undefined;

/** The value has no canonical form: RFC 8785 knows neither NaN nor infinity, undefined, nor a lone surrogate. */
export class NotCanonicalError extends Error {
  override readonly name = 'NotCanonicalError';
}

/**
 * The canonical form of a JSON value, RFC 8785.
 * @throws NotCanonicalError
 */
export function canonicalJson(value: unknown): string {
  const text = serialise(value);
  if (text === undefined) throw new NotCanonicalError('undefined has no canonical form');
  // JSON.stringify writes a lone surrogate as an escape \udxxx, never raw; RFC 8785 §3.2.2.2 refuses it.
  if (/(?<!\\)(?:\\\\)*\\ud[89a-f][0-9a-f]{2}/.test(text))
    throw new NotCanonicalError('a lone surrogate has no canonical form');
  return text;
}

function serialise(value: unknown): string | undefined {
  try {
    return canonicalize(value);
  } catch (error) {
    throw new NotCanonicalError(error instanceof Error ? error.message : String(error));
  }
}
