import { type Issue, MalformedJsonError, parseJson, type Resource } from '@ssb/market';
import { BULK_MEDIA_TYPE, BULK_PATH } from '@ssb/market/admin';
import { ProblemException } from '@ssb/platform';
import { BodyTooLargeError, readBody } from '@ssb/net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** The market's public notes state payloads of up to 10 MB. */
export const MAX_RECORD_BYTES = 10 * 1024 * 1024;
/** Several days of five-minute detail for a hundred participants; more comes in several loads. */
const MAX_BULK_BYTES = 64 * 1024 * 1024;
/** A record can have more issues than the record has characters. */
export const MAX_ISSUES = 20;

const JSON_BODY = { mediaTypes: ['application/json'], maxBytes: MAX_RECORD_BYTES };
/** JSON lines have two media types in use, none of them registered. */
const JSON_LINES = { mediaTypes: [BULK_MEDIA_TYPE, 'application/jsonl'], maxBytes: MAX_BULK_BYTES };

/**
 * Checks media type and size of a body by its headers, before it is read.
 * @param route the declared route
 * @throws ProblemException 413 or 415
 */
export function assertBodyFormat(headers: IncomingHttpHeaders, route: string): void {
  const { mediaTypes, maxBytes } = route === BULK_PATH ? JSON_LINES : JSON_BODY;
  // The media type without its parameters, in lower case (RFC 9110 §8.3.1).
  const [mediaType = ''] = (headers['content-type'] ?? '').split(';', 1);
  if (!mediaTypes.includes(mediaType.trim().toLowerCase()))
    throw unsupported(`Content-Type must be ${mediaTypes.join(' or ')} here.`, mediaTypes);
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
}

/** Reads JSON as text, since the framework's parser loses digits. JSON lines stay unread until a load may start. */
export function addBodyParsers(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(JSON_BODY.mediaTypes, (_request: FastifyRequest, body: IncomingMessage) =>
    readText(body, JSON_BODY.maxBytes),
  );
  server.addContentTypeParser(JSON_LINES.mediaTypes, (_request: FastifyRequest, body: IncomingMessage) =>
    Promise.resolve(body),
  );
}

/** The text of a bulk load. @throws ProblemException 413 or 400 */
export function readLines(body: AsyncIterable<Buffer>): Promise<string> {
  return readText(body, JSON_LINES.maxBytes);
}

/** Parses and validates the text of a body. @throws ProblemException 400 for invalid JSON, 422 with the path of each invalid field */
export function parseResource<T>(resource: Resource<T>, body: unknown): T {
  const reading = resource.readStrict(parseBody(body));
  if (reading.ok) return reading.value;
  throw unprocessable(`This is not a valid ${resource.name}`, reading.issues.slice(0, MAX_ISSUES));
}

function parseBody(body: unknown): unknown {
  if (typeof body !== 'string') throw badRequest('A JSON body is needed.');
  try {
    return parseJson(body);
  } catch (error) {
    throw error instanceof MalformedJsonError ? badRequest(error.message) : error;
  }
}

/** 422 with each issue, by its path and, in JSON lines, its line. */
export function unprocessable(
  what: string,
  issues: readonly (Issue & { readonly line?: number })[],
): ProblemException {
  const where = ({ line, path }: (typeof issues)[number]): string =>
    line === undefined ? path || 'the body' : `line ${line}${path && `, ${path}`}`;
  const detail = issues.map((issue) => `${where(issue)}: ${issue.message}`).join('; ');
  return new ProblemException(422, 'Unprocessable content', `${what}: ${detail}.`, { issues });
}

async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string> {
  const bytes = await readBody(body, maxBytes).catch((error: unknown) => {
    throw error instanceof BodyTooLargeError ? bodyTooLarge(maxBytes) : error;
  });
  if (!isUtf8(bytes)) throw badRequest('The body must be UTF-8.');
  return bytes.toString('utf8');
}

function badRequest(detail: string): ProblemException {
  return new ProblemException(400, 'Bad request', detail);
}

function unsupported(detail: string, allowed: readonly string[]): ProblemException {
  return new ProblemException(415, 'Unsupported media type', detail, { allowed });
}

function bodyTooLarge(maxBytes: number): ProblemException {
  return new ProblemException(413, 'Body too large', `A body has at most ${maxBytes} bytes here.`, {
    maxBytes,
  });
}
