import type { HttpAnswer } from './http-edge.js';
import { JSON_TYPES } from './json-body.js';
import { requireMediaType } from './media-type.js';

/**
 * Makes sure that a 404 is the market's, which then says that nothing is published. The document gives its body no form, so an empty one is taken, plain
 * text, and JSON of any kind (RFC 6839 §3.1), whatever it says. A body that calls itself something else (HTML, first of all) is a proxy's or a web
 * server's: taken for the market's, it would hide a statement that is there.
 * @throws MalformedResponseError
 */
export function requireNothingPublished(operation: string, answer: HttpAnswer): void {
  if (answer.bytes.length === 0 || answer.mediaType?.endsWith('+json')) return;
  requireMediaType(operation, answer, JSON_TYPES);
}
