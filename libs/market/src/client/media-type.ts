import { MalformedResponseError } from './errors.js';
import type { HttpAnswer } from './http-edge.js';

/**
 * Refuses a body that says it is something else, such as the HTML of a proxy's sign-in page. One that does not say is read for what it is.
 * @throws MalformedResponseError
 */
export function requireMediaType(operation: string, answer: HttpAnswer, allowed: readonly string[]): void {
  const { mediaType } = answer;
  if (mediaType === undefined || allowed.includes(mediaType)) return;
  const message = `sent as ${JSON.stringify(mediaType.slice(0, 60))}, where only ${allowed.join(', ')} may come`;
  throw new MalformedResponseError(operation, [{ path: '', message }]);
}
