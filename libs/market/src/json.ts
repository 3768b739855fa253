import { LosslessNumber, parse, stringify } from 'lossless-json';

/**
 * JSON as it is on the wire. A number is a `LosslessNumber` that keeps its digits; whoever reads one decides whether
 * it is a decimal or a small integer.
 */
export type WireJson = unknown;

/** A text that is no JSON, repeats a key with another value, or nests without end. */
export class MalformedJsonError extends Error {
  override readonly name = 'MalformedJsonError';
  constructor(readonly reason: string) {
    super(`not JSON: ${reason}`);
  }
}

/** Reads JSON without losing a digit of any number. A leading byte-order mark is passed over. @throws MalformedJsonError */
export function parseJson(text: string): WireJson {
  try {
    return parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    // The parser descends by calling itself: thousands of brackets end in a RangeError, which is the text's fault.
    if (error instanceof SyntaxError) throw new MalformedJsonError(error.message);
    if (error instanceof RangeError) throw new MalformedJsonError('nested too deeply');
    throw error;
  }
}

/** Writes what `parseJson` reads: a `LosslessNumber` becomes a bare number with exactly its digits. */
export function serialiseJson(value: WireJson): string {
  return stringify(value) ?? 'null';
}

export { LosslessNumber };
