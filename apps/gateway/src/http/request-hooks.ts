import { isUtf8 } from 'node:buffer';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { getRequiredRight } from '../users/rights.js';
import type { UserAuthService } from '../users/user-auth.service.js';
import { invalidRequest } from './gateway-exception.js';

/**
 * Ignores the content type of a request without a body, which some HTTP clients send with every POST.
 * An operation that needs a body refuses an empty one.
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
 * Accepts only application/json, because a page of another origin can send forms and text without a preflight.
 * Refuses a body that is not UTF-8 (RFC 8259 §8.1), because decoding would change the text that is signed.
 */
export function acceptJsonOnly(adapter: FastifyAdapter): void {
  const server = adapter.getInstance();
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isUtf8(body)) return void parse(request, body.toString('utf8'), done);
    done(invalidRequest('The body is not UTF-8.'));
  });
}

/** Checks the credentials before the body is read. The response to an unknown address is 404. */
export function requireBasicAuth(adapter: FastifyAdapter, users: UserAuthService): void {
  adapter.getInstance().addHook('onRequest', (request, _reply, next) => {
    const path = request.routeOptions.url;
    const right = path === undefined || request.is404 ? undefined : getRequiredRight(path);
    if (right === undefined) return next();
    const refusal = users.authorize(request.raw, right);
    // A verified user is checked synchronously.
    if (refusal instanceof Promise) refusal.then((late) => next(late), next);
    else next(refusal);
  });
}
