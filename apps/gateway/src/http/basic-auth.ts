import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { rightFor } from '../domain/rights.js';
import type { Users } from '../users/users.js';

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
