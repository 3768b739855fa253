import { isUtf8 } from 'node:buffer';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { invalidRequest } from './gateway-exception.js';
import { rightFor } from '../users/rights.js';
import type { Users } from '../users/user-auth.service.js';

/**
 * Some HTTP clients name a content type on a POST that has no body (enrol takes none): that is no bad JSON, just no body, and
 * whoever needs one says so in the words of its own operation.
 */
export function allowEmptyBody(adapter: FastifyAdapter): void {
  adapter.getInstance().addHook('onRequest', (request, _reply, next) => {
    const { headers } = request.raw;
    const empty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
    if (empty) delete headers['content-type'];
    next();
  });
}

/**
 * Takes bodies as application/json alone. Forms and plain text are refused with 415: a page of somebody else could send them from the
 * browser of one who is logged in. Bytes that are no UTF-8 (RFC 8259 §8.1) are refused too: decoding would put U+FFFD in their place,
 * and the gateway would sign what nobody has said.
 */
export function takeJsonAlone(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isUtf8(body)) return void parse(request, body.toString('utf8'), done);
    done(invalidRequest('The body is not UTF-8.'));
  });
}

/**
 * Asks for the credentials as soon as the headers are read, before a stranger's body is. An unknown address stays a 404,
 * whoever asks.
 */
export function installBasicAuth(adapter: FastifyAdapter, users: Users): void {
  adapter.getInstance().addHook('onRequest', (request, _reply, next) => {
    const path = request.routeOptions.url;
    const right = path === undefined || request.is404 ? undefined : rightFor(path);
    if (right === undefined) return next();
    const refusal = users.admit(request.headers.authorization, request.ip, right);
    // A user that was here before does not wait for a turn of the event loop.
    if (refusal instanceof Promise) refusal.then((late) => next(late), next);
    else next(refusal);
  });
}
