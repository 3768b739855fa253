import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

/**
 * The peer: plain Fastify that serves one body, read from a file, under every path, with the same TLS and client certificates as the
 * reporting API, and nothing else. Tells its parent the port.
 */
const [, , bodyFile = '', certificate = '', key = '', ca = ''] = process.argv;
const body = readFileSync(bodyFile);
const server = Fastify({
  https: {
    cert: readFileSync(certificate),
    key: readFileSync(key),
    ca: readFileSync(ca),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  },
});
server.get('/*', (_request, reply) =>
  reply.header('content-type', 'application/json; charset=utf-8').send(body),
);
await server.listen({ host: '127.0.0.1', port: 0 });
process.send?.({ port: (server.server.address() as { port: number }).port });
// Never outlives whoever measures.
process.once('disconnect', () => process.exit(0));
