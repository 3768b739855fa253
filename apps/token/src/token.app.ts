import type { INestApplicationContext } from '@nestjs/common';
import {
  type AppOptions,
  type SecondaryServer,
  type ListenOptions,
  managementAddress,
  readServerTls,
} from '@ssb/platform';
import { AccountsService } from './accounts/accounts.service.js';
import { AdminModule } from './accounts/admin.module.js';
import { definition, type Settings } from './settings.js';
import { TokenModule } from './token.module.js';
import { tokenErrorResponder } from './tokens/token-error-responder.js';

/** Bytes; enough for the largest token request and for the admin API. */
const BODY_LIMIT = 16_384;

/** The token service: the token endpoint on its public port, the admin API on another one. */
export const tokenApp: AppOptions<typeof definition> = {
  name: 'token',
  definition,
  module: (settings) => TokenModule.register(settings),
  http: publicPort,
  management: managementAddress,
  errorResponder: tokenErrorResponder,
  unknownFields: 'refuse',
  secondaryServers: adminPort,
};

async function publicPort(settings: Settings): Promise<ListenOptions> {
  const port = settings.PORT;
  const tls = await readServerTls(settings);
  if (tls === undefined) return { port, bodyLimit: BODY_LIMIT };
  // TLS accepts clients without a certificate: an account that needs one gets an OAuth error.
  const https = { ...tls, requestCert: tls.ca !== undefined, rejectUnauthorized: false };
  return { port, https, bodyLimit: BODY_LIMIT };
}

async function adminPort(settings: Settings, main: INestApplicationContext): Promise<SecondaryServer[]> {
  const { ADMIN_SECRET_FILE, ADMIN_PORT: port, ADMIN_HOST: host } = settings;
  if (ADMIN_SECRET_FILE === undefined) return [];
  const module = await AdminModule.register(main.get(AccountsService), ADMIN_SECRET_FILE);
  return [{ module, http: { port, host, bodyLimit: BODY_LIMIT } }];
}
