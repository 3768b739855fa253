import type { FastifyInstance } from 'fastify';

const FORM = 'application/x-www-form-urlencoded';

/**
 * Leaves a form as the text that was sent. What its names mean is for its reader to say: the framework's own parser refuses some that
 * RFC 6749 §3.2 has us ignore. Called before the routes are made.
 */
export function takeFormsAsText(server: FastifyInstance): void {
  server.removeContentTypeParser(FORM);
  server.addContentTypeParser(FORM, { parseAs: 'string' }, (_request, text, done) => done(null, text));
}
