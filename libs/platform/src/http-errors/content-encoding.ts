import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ProblemException } from './problem-exception.js';

/** Fastify does not read their bodies. */
const UNREAD_METHODS = new Set(['GET', 'HEAD']);

/**
 * Refuses a request body with a content coding with 415 (RFC 9110 §15.5.16), after the hooks that authenticate the client.
 * Decoding would let a small body fill the memory.
 */
export function refuseContentEncodings(adapter: FastifyAdapter): void {
  adapter.getInstance().addHook('preParsing', (request, reply, _payload, next) => {
    const { method, headers } = request;
    const isRead = !request.is404 && !UNREAD_METHODS.has(method) && hasBody(headers);
    if (!isRead || isIdentity(headers['content-encoding'])) return next();
    // RFC 9110 §12.5.3: the codings that the resource accepts.
    reply.header('accept-encoding', 'identity');
    const detail = 'The body has a content coding. Send it without Content-Encoding, uncompressed.';
    next(new ProblemException(415, 'Unsupported media type', detail, { allowed: ['identity'] }));
  });
}

function hasBody(headers: Readonly<Record<string, unknown>>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** A list of codings in any case (RFC 9110 §8.4); `identity` means none. */
function isIdentity(contentEncoding = ''): boolean {
  return contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .every((coding) => coding === '' || coding === 'identity');
}
