import { type HttpResponse } from '@ssb/net';
import type { PartialReadResult } from '../schema/partial-read.js';
import { type JsonValue, MalformedJsonError, parseJson } from '../values/json.js';
import { InvoiceFileError, MalformedResponseError } from './errors.js';
import { findPdfFault, type PdfFault } from './pdf-faults.js';

/** The media types of a JSON body (document 000, convention 2). */
export const JSON_TYPES = ['application/json', 'text/json', 'text/plain'];

/**
 * Parses the JSON of a 200. Bytes that are not UTF-8 (RFC 8259 §8.1) are refused, because a replacement character
 * could change a name or an id.
 * @throws MalformedResponseError
 */
export function readJsonBody(operation: string, response: HttpResponse): JsonValue {
  assertMediaType(operation, response, JSON_TYPES);
  const text = response.utf8;
  if (text === undefined) throw malformed(operation, 'not UTF-8');
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw malformed(operation, error.message);
  }
}

const PDF_TYPES = ['application/pdf', 'application/octet-stream'];

const DESCRIPTIONS: Readonly<Record<Exclude<PdfFault, 'media-type'>, string>> = {
  empty: 'no bytes',
  html: 'an HTML page, where a PDF must come',
  'not-pdf': 'does not begin with %PDF-',
  truncated: 'a PDF without its end: %%EOF is not in the last 1,024 bytes',
};

/**
 * Reads the PDF of operation 8. The document gives no media type; some servers send `application/octet-stream`, so beginning and end of the
 * bytes are checked.
 * @throws InvoiceFileError
 */
export function readInvoiceFile(operation: string, response: HttpResponse): Uint8Array {
  const { bytes, mediaType } = response;
  const fault = findPdfFault(bytes);
  if (fault !== undefined) throw new InvoiceFileError(operation, fault, DESCRIPTIONS[fault]);
  if (mediaType !== undefined && !PDF_TYPES.includes(mediaType))
    throw new InvoiceFileError(operation, 'media-type', describeMediaType(mediaType, PDF_TYPES));
  return bytes;
}

/** The media type of a problem (RFC 9457). */
const PROBLEM_TYPE = 'application/problem+json';

/** The reason of our sandbox for a 404 that is about the document, not about the request. */
const DOCUMENT_REASON = 'nothing-published';

/**
 * Checks that a 404 comes from the market and is about the document, because the 404 of a proxy or of a wrong address must not hide a published
 * one.
 * @param members those of the operator's JSON object; when undefined, an empty body and a problem (RFC 9457) are its forms
 * @throws MalformedResponseError
 */
export function assertMarketNotFound(
  operation: string,
  response: HttpResponse,
  members: readonly string[] | undefined,
): void {
  if (members === undefined && response.bytes.length === 0) return;
  if (!response.mediaType?.endsWith('+json')) assertMediaType(operation, response, JSON_TYPES);
  const body = parseObject(response.utf8 ?? '');
  const isOfMarket =
    body !== undefined &&
    (members === undefined
      ? isProblem(body, response.mediaType)
      : members.every((name) => Object.hasOwn(body, name)));
  if (!isOfMarket) throw malformed(operation, describeOtherForm(members));
  const { reason } = body;
  if (typeof reason === 'string' && reason !== DOCUMENT_REASON)
    throw malformed(operation, `404 for the reason ${JSON.stringify(reason.slice(0, 60))}`);
}

/** RFC 9457 §3.1. A body with another media type needs the members that distinguish a problem from another object. */
function isProblem({ status, title, type }: JsonObject, mediaType: string | undefined): boolean {
  if (mediaType === PROBLEM_TYPE) return status === undefined || status === 404;
  return status === 404 && (typeof title === 'string' || typeof type === 'string');
}

function describeOtherForm(members: readonly string[] | undefined): string {
  const form =
    members === undefined
      ? 'an empty body, or a problem (RFC 9457) of status 404'
      : `a JSON object with ${members.join(', ')}`;
  return `404 in another form than the operator's, which is ${form}: check the base address and the proxies, or name the members that the operator sends in REPORTING_NOT_FOUND_MEMBERS`;
}

/** The response to a list operation was a 404. */
export function noList(operation: string): MalformedResponseError {
  return malformed(
    operation,
    '404 where only a list may come: check the base address, the proxies and whether so many days may be requested',
  );
}

type JsonObject = Readonly<Record<string, unknown>>;

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
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
function assertMediaType(operation: string, response: HttpResponse, allowed: readonly string[]): void {
  const { mediaType } = response;
  if (mediaType === undefined || allowed.includes(mediaType)) return;
  throw malformed(operation, describeMediaType(mediaType, allowed));
}

function describeMediaType(sent: string, allowed: readonly string[]): string {
  return `sent as ${JSON.stringify(sent.slice(0, 60))}, where only ${allowed.join(', ')} may come`;
}

function malformed(operation: string, message: string): MalformedResponseError {
  return new MalformedResponseError(operation, [{ path: '', message }]);
}
