import type { FastifyAdapter } from '@nestjs/platform-fastify';

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
