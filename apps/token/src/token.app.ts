import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { type AppOptions, type Companion, type Listener, readSecretFile, readServerTls } from '@ssb/platform';
import { AccountsService } from './accounts/accounts.service.js';
import { adminModule } from './accounts/admin.module.js';
import { type Settings, definition } from './settings.js';
import { tokenErrorResponses } from './tokens/error-responses.js';
import { tokenModule } from './token.module.js';

/** The largest token request that makes sense, bytes; the admin door needs no more. */
const BODY_LIMIT = 16_384;

/** The token service: its settings, its parts, its public port and its admin door. */
export const tokenApp: AppOptions<typeof definition> = {
  name: 'token',
  definition,
  module: (settings): Promise<DynamicModule> => tokenModule(settings),
  http,
  failures: tokenErrorResponses,
  unknownFields: 'refuse',
  companions,
};

async function http(settings: Settings): Promise<Listener> {
  const port = settings.PORT;
  const tls = await readServerTls(settings);
  if (tls === undefined) return { port, bodyLimit: BODY_LIMIT };
  // A client without a certificate is let in: an account that needs one gets an OAuth error.
  const https = { ...tls, requestCert: tls.ca !== undefined, rejectUnauthorized: false };
  return { port, https, bodyLimit: BODY_LIMIT };
}

async function companions(settings: Settings, main: INestApplicationContext): Promise<Companion[]> {
  if (settings.ADMIN_SECRET_FILE === undefined) return [];
  const secret = await readSecretFile(settings.ADMIN_SECRET_FILE);
  // It has to travel in a header.
  if (!/^[\x20-\x7e]+$/.test(secret.toString()))
    throw new Error('The secret of ADMIN_SECRET_FILE must be printable ASCII on one line.');
  const module = adminModule(main.get(AccountsService), secret);
  return [{ module, http: { port: settings.ADMIN_PORT, host: settings.ADMIN_HOST, bodyLimit: BODY_LIMIT } }];
}
