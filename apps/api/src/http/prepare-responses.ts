import compress from '@fastify/compress';
import etag from '@fastify/etag';
import type { FastifyInstance } from 'fastify';

/** Smaller responses are not compressed, bytes. */
const COMPRESSION_THRESHOLD = 1_024;

/** ETags and compression, for every response that has a body. */
export async function prepareResponses(server: FastifyInstance): Promise<void> {
  await server.register(compress, { threshold: COMPRESSION_THRESHOLD, encodings: ['gzip', 'br'] });
  await server.register(etag, { weak: true });
}
