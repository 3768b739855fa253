import { MalformedResponseError } from './errors.js';
import type { HttpAnswer } from './http-edge.js';
import { requireMediaType } from './media-type.js';

/** What a PDF begins with (ISO 32000-1, 7.5.2). */
const MAGIC = '%PDF-';

/**
 * The file of operation 8. The document declares neither its type nor its form; a PDF is what it states as the purpose, so anything else is
 * refused. Some servers send files as plain bytes: the content then has to speak for itself.
 * @throws MalformedResponseError
 */
export function readInvoiceFile(operation: string, answer: HttpAnswer): Uint8Array {
  requireMediaType(operation, answer, ['application/pdf', 'application/octet-stream']);
  const start = Buffer.from(answer.bytes.subarray(0, MAGIC.length)).toString('latin1');
  if (start !== MAGIC)
    throw new MalformedResponseError(operation, [{ path: '', message: `does not begin with ${MAGIC}` }]);
  return answer.bytes;
}
