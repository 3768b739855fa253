import type { FastifyInstance, FastifyReply } from 'fastify';

/** Below these addresses, a response depends on the caller. */
const OF_CALLER = /^\/v1(?:\/|$)/;
const SIGN_IN = /^\/(?:sign-in|sign-out)(?:\/|$)/;
/** What identifies a caller. */
const CREDENTIAL_HEADERS = 'cookie, authorization';

/** Keeps responses of one caller from others, also on their way. A handler may be stricter. Register it before the compression. */
export function addCacheHeaders(server: FastifyInstance): void {
  server.addHook('onSend', (request, reply, payload, done) => {
    // Unknown addresses have no route, and no more than the address itself.
    const path = request.routeOptions.url ?? request.url;
    if (SIGN_IN.test(path)) void reply.header('cache-control', 'no-store');
    else if (OF_CALLER.test(path)) keepPrivate(reply);
    done(null, payload);
  });
}

function keepPrivate(reply: FastifyReply): void {
  if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'private, no-cache');
  const others = reply.getHeader('vary');
  void reply.header('vary', [others, CREDENTIAL_HEADERS].filter((each) => each !== undefined).join(', '));
}
