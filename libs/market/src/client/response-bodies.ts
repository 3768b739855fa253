import type { PartialReadResult } from '../schema/partial-read.js';
import { type JsonValue, MalformedJsonError, parseJson } from '../values/json.js';
import { MalformedResponseError } from './errors.js';
import type { HttpResponse } from './http/http-client.js';

/** The media types of a JSON body (document 000, convention 2). */
export const JSON_TYPES = ['application/json', 'text/json', 'text/plain'];

/** The first bytes of a PDF (ISO 32000-1, 7.5.2). */
const PDF_MAGIC = '%PDF-';

/**
 * Parses the JSON of a 200. Bytes that are not UTF-8 (RFC 8259 §8.1) are refused, because a replacement character
 * could change a name or an id.
 * @throws MalformedResponseError
 */
export function readJsonBody(operation: string, response: HttpResponse): JsonValue {
  requireMediaType(operation, response, JSON_TYPES);
  const text = response.utf8;
  if (text === undefined) throw malformed(operation, 'not UTF-8');
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw malformed(operation, error.message);
  }
}

/**
 * Reads the PDF of operation 8. The document gives no media type; some servers send `application/octet-stream`, so
 * the first bytes are checked as well.
 * @throws MalformedResponseError
 */
export function readInvoiceFile(operation: string, response: HttpResponse): Uint8Array {
  requireMediaType(operation, response, ['application/pdf', 'application/octet-stream']);
  const start = Buffer.from(response.bytes.subarray(0, PDF_MAGIC.length)).toString('latin1');
  if (start !== PDF_MAGIC) throw malformed(operation, `does not begin with ${PDF_MAGIC}`);
  return response.bytes;
}

/**
 * Checks that a 404 comes from the market: its body is empty, plain text or JSON (RFC 6839 §3.1). The 404 of a proxy
 * must not hide a published statement.
 * @throws MalformedResponseError
 */
export function requireMarketNotFound(operation: string, response: HttpResponse): void {
  if (response.bytes.length === 0 || response.mediaType?.endsWith('+json')) return;
  requireMediaType(operation, response, JSON_TYPES);
}

/** Caches the last response of an operation with its result, so that a poll does not parse the same response again. */
export class LastResponseCache<T> {
  private last: { readonly response: HttpResponse; readonly result: PartialReadResult<T> } | undefined;

  /** The result of `read`, or the cached result for an equal response. @throws the errors of `read` */
  getOrRead(response: HttpResponse, read: () => PartialReadResult<T>): PartialReadResult<T> {
    if (this.last === undefined || !isSameResponse(this.last.response, response))
      this.last = { response, result: read() };
    return this.last.result;
  }
}

function isSameResponse(one: HttpResponse, other: HttpResponse): boolean {
  return one.mediaType === other.mediaType && Buffer.compare(one.bytes, other.bytes) === 0;
}

/** A response without a media type is accepted. @throws MalformedResponseError */
function requireMediaType(operation: string, response: HttpResponse, allowed: readonly string[]): void {
  const { mediaType } = response;
  if (mediaType === undefined || allowed.includes(mediaType)) return;
  const sent = JSON.stringify(mediaType.slice(0, 60));
  throw malformed(operation, `sent as ${sent}, where only ${allowed.join(', ')} may come`);
}

function malformed(operation: string, message: string): MalformedResponseError {
  return new MalformedResponseError(operation, [{ path: '', message }]);
}
