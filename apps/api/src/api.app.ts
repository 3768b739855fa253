import compress from '@fastify/compress';
import etag from '@fastify/etag';
import { managementAddress, readServerTls, type AppOptions } from '@ssb/platform';
import { ApiModule } from './api.module.js';
import { errorResponses } from './http/error-responses.js';
import { definition } from './settings.js';
import type { FastifyInstance } from 'fastify';

const BODY_LIMIT = 65_536;
const MAX_CONNECTIONS = 1_000;
/** Smaller responses are not compressed, bytes. */
const COMPRESSION_THRESHOLD = 1_024;

/** Builds the archive API for its process and for tests. */
export const app: AppOptions<typeof definition> = {
  name: 'api',
  definition,
  unknownFields: 'refuse',
  module: (settings, log) => ApiModule.register(settings, log),
  errorResponder: errorResponses,
  prepare: prepareResponses,
  http: async (settings) => {
    const https = await readServerTls(settings);
    return {
      port: settings.PORT,
      bodyLimit: BODY_LIMIT,
      maxConnections: MAX_CONNECTIONS,
      // A caller without a certificate may have a token.
      ...(https && {
        https: { ...https, requestCert: settings.CLIENT_CA_FILE !== undefined, rejectUnauthorized: false },
      }),
    };
  },
  management: managementAddress,
};

/** ETags and compression, for every response that has a body. */
async function prepareResponses(server: FastifyInstance): Promise<void> {
  await server.register(compress, { threshold: COMPRESSION_THRESHOLD, encodings: ['gzip', 'br'] });
  await server.register(etag, { weak: true });
}
