import { LosslessNumber, parse, stringify } from 'lossless-json';

/** A parsed JSON value. Each number is a `LosslessNumber` that keeps its digits. */
export type JsonValue = unknown;

/** The text is not JSON, repeats a key with another value, or is nested too deeply. */
export class MalformedJsonError extends Error {
  override readonly name = 'MalformedJsonError';
  constructor(readonly reason: string) {
    super(`not JSON: ${reason}`);
  }
}

/** Parses JSON without losing a digit. Ignores a leading byte-order mark. @throws MalformedJsonError */
export function parseJson(text: string): JsonValue {
  try {
    return parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (error) {
    // The parser is recursive: deep nesting ends in a RangeError, which the text causes.
    // The message of the parser may quote the text. Its end is the position.
    if (error instanceof SyntaxError) throw new MalformedJsonError(describePosition(error.message));
    if (error instanceof RangeError) throw new MalformedJsonError('nested too deeply');
    throw error;
  }
}

function describePosition(message: string): string {
  const position = /at position (\d+)$/.exec(message)?.[1];
  return position === undefined ? 'a syntax error' : `a syntax error at position ${position}`;
}

/** Writes a value of `parseJson`. A `LosslessNumber` becomes a number with exactly its digits. */
export function serialiseJson(value: JsonValue): string {
  return stringify(value) ?? 'null';
}

export { LosslessNumber };
