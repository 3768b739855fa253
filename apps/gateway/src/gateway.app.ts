import { readServerTls, type AppOptions, type Listener } from '@ssb/platform';
import { GatewayModule } from './gateway.module.js';
import { errorResponses } from './http/error-responses.js';
import { BODY_LIMIT, definition, type Settings } from './settings.js';

/** The gateway, as main.ts runs it and tests build it. */
export const gateway: AppOptions<typeof definition> = {
  name: 'gateway',
  definition,
  failures: errorResponses,
  unknownFields: 'ignore',
  module: () => ({ module: GatewayModule }),
  http,
};

async function http(settings: Settings): Promise<Listener> {
  const https = await readServerTls(settings);
  return {
    port: settings.PORT,
    bodyLimit: BODY_LIMIT,
    mostConnections: settings.MAX_CONNECTIONS,
    ...(https && { https }),
  };
}
