import { isUtf8 } from 'node:buffer';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { getRequiredRight } from '../users/rights.js';
import type { UserAuthService } from '../users/user-auth.service.js';
import { foreignOrigin, invalidRequest } from './gateway-exception.js';
import { isFromAllowedOrigin } from './request-origin.js';

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
    if (isEnrolment(request)) return done(null, undefined);
    if (isUtf8(body)) return void parse(request, body.toString('utf8'), done);
    done(invalidRequest('The body is not UTF-8.'));
  });
}

interface RoutedRequest {
  readonly method: string;
  readonly routeOptions: { readonly url?: string };
}

function isEnrolment({ method, routeOptions }: RoutedRequest): boolean {
  return method === 'POST' && routeOptions.url === '/api/v1/config/enrol';
}

/**
 * Reads and ignores any body, as document 002 has none. The origin is checked because such a request needs no preflight.
 */
export function ignoreEnrolmentBody(adapter: FastifyAdapter, allowedOrigins: readonly string[]): void {
  adapter.getInstance().addHook('onRequest', (request, _reply, next) => {
    if (!isEnrolment(request)) return next();
    if (!isFromAllowedOrigin(request.raw, allowedOrigins)) return next(foreignOrigin());
    request.raw.headers['content-type'] = 'application/json';
    delete request.raw.headers['content-encoding'];
    next();
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
