import Fastify from 'fastify';
import { readFileSync } from 'node:fs';

/**
 * The baseline of the benchmark: Fastify alone, with the TLS settings of the reporting API. It serves one file under every path and sends
 * its port to the parent process.
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
process.once('disconnect', () => process.exit(0));
