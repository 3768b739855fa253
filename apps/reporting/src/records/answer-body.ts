const BEFORE = '{"data":';
const AFTER = '}';

/**
 * The body of a 200 around a document (document 000, Conventions 1: `data` and no other property), as UTF-8. It is made when the document
 * is read, so that a kept one is sent as it lies; and in memory of its own, so that keeping it keeps nothing else.
 */
export function answerBody(document: string | Uint8Array): Uint8Array {
  const length = typeof document === 'string' ? Buffer.byteLength(document) : document.byteLength;
  const body = Buffer.allocUnsafeSlow(BEFORE.length + length + AFTER.length);
  body.write(BEFORE, 0, 'latin1');
  if (typeof document === 'string') body.write(document, BEFORE.length, 'utf8');
  else body.set(document, BEFORE.length);
  body.write(AFTER, BEFORE.length + length, 'latin1');
  return body;
}
