import { isUtf8 } from 'node:buffer';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { invalidRequest } from '../domain/gateway-failure.js';

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
