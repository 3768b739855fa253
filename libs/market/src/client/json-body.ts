import { MalformedJsonError, parseJson, type WireJson } from '../json.js';
import { MalformedResponseError } from './errors.js';
import type { HttpAnswer } from './http-edge.js';
import { requireMediaType } from './media-type.js';

/** The three that a body may be sent as, with the same bytes (document 000, convention 2). */
export const JSON_TYPES = ['application/json', 'text/json', 'text/plain'];

/**
 * The JSON of a 200. Bytes that are no UTF-8 (RFC 8259 §8.1) are refused: a replacement character in a name or an id would pass for what the market sent.
 * @throws MalformedResponseError
 */
export function readJsonBody(operation: string, answer: HttpAnswer): WireJson {
  requireMediaType(operation, answer, JSON_TYPES);
  const malformed = (message: string) => new MalformedResponseError(operation, [{ path: '', message }]);
  const text = answer.utf8;
  if (text === undefined) throw malformed('not UTF-8');
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw malformed(error.message);
  }
}
