import { managementAddress, readServerTls, type AppOptions } from '@ssb/platform';
import { ApiModule } from './api.module.js';
import { errorResponses } from './http/error-responses.js';
import { prepareResponses } from './http/prepare-responses.js';
import { definition } from './settings.js';

const BODY_LIMIT = 65_536;
const MAX_CONNECTIONS = 1_000;

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
