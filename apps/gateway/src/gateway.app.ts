import { managementAddress, readServerTls, type AppOptions, type ListenOptions } from '@ssb/platform';
import { GatewayModule } from './gateway.module.js';
import { errorResponses } from './http/error-responses.js';
import { BODY_LIMIT, definition, type Settings } from './settings.js';

/** Builds the gateway for its process and for tests. */
export const gateway: AppOptions<typeof definition> = {
  name: 'gateway',
  definition,
  errorResponder: errorResponses,
  unknownFields: 'ignore',
  module: () => ({ module: GatewayModule }),
  http,
  management: managementAddress,
};

async function http(settings: Settings): Promise<ListenOptions> {
  const https = await readServerTls(settings);
  return {
    port: settings.PORT,
    bodyLimit: BODY_LIMIT,
    maxConnections: settings.MAX_CONNECTIONS,
    ...(https && { https }),
  };
}
