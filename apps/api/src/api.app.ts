import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import etag from '@fastify/etag';
import { managementAddress, ProblemException, readServerTls, type AppOptions } from '@ssb/platform';
import { ApiModule } from './api.module.js';
import { serveConsole } from './console/console-files.js';
import { addCacheHeaders } from './http/cache-headers.js';
import { errorResponses } from './http/error-responses.js';
import { addSecurityHeaders } from './http/security-headers.js';
import { definition, type Settings } from './settings.js';
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
  errorResponder: (log, _metrics, settings) => errorResponses(log, settings),
  prepare: (server, settings) => prepareServer(server, settings),
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

/**
 * Headers for browsers, the console, ETags and fast compression.
 * @param consoleFolder for tests
 */
export async function prepareServer(
  server: FastifyInstance,
  settings: Settings,
  consoleFolder?: string,
): Promise<void> {
  addSecurityHeaders(server, settings);
  addCacheHeaders(server);
  refuseOtherMethods(server);
  await server.register(compress, {
    threshold: COMPRESSION_THRESHOLD,
    encodings: ['gzip', 'br'],
    zlibOptions: { level: constants.Z_BEST_SPEED },
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  });
  await server.register(etag, { weak: true });
  await serveConsole(server, consoleFolder);
}

/** An address of the API with a method that it does not have is 405 with `Allow` (RFC 9110 §15.5.6). Fastify responds 404. */
function refuseOtherMethods(server: FastifyInstance): void {
  const routes: { readonly url: string; readonly pattern: RegExp; readonly methods: string | string[] }[] =
    [];
  server.addHook('onRoute', ({ url, method: methods }) => {
    const pattern = url
      .replaceAll('.', String.raw`\.`)
      .replaceAll('*', '.*')
      .replaceAll(/:[^/]+/g, '[^/]+');
    routes.push({ url, pattern: new RegExp(`^${pattern}$`), methods });
  });
  server.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const [path = ''] = request.url.split('?', 1);
    const matching = routes.filter(({ pattern }) => pattern.test(path));
    const exact = matching.filter(({ url }) => url === path);
    const methods = (exact.length > 0 ? exact : matching).flatMap((route) => route.methods);
    if (methods.length === 0) return done();
    const allowed = methods.join(', ');
    void reply.header('allow', allowed);
    done(new ProblemException(405, 'Method not allowed', `This address has only ${allowed}.`));
  });
}
