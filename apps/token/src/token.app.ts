import type { DynamicModule, INestApplicationContext } from '@nestjs/common';
import { type AppOptions, type Companion, type Listener, readSecretFile } from '@ssb/platform';
import { ManageAccounts } from './accounts/manage-accounts.js';
import { adminModule } from './admin/admin.module.js';
import { type Settings, definition } from './settings.js';
import { readTlsFiles, tlsFilesOf } from './tls/tls-files.js';
import { tokenFailures } from './token-failures.js';
import { tokenModule } from './token.module.js';

/** The largest token request that makes sense, bytes; the admin door needs no more. */
const BODY_LIMIT = 16_384;

/** The token service: its settings, its parts, its public port and its admin door. */
export const tokenApp: AppOptions<typeof definition> = {
  name: 'token',
  definition,
  module: (settings): Promise<DynamicModule> => tokenModule(settings),
  http,
  failures: tokenFailures,
  companions,
};

async function http(settings: Settings): Promise<Listener> {
  const port = settings.PORT;
  const files = tlsFilesOf(settings);
  if (files === undefined) return { port, bodyLimit: BODY_LIMIT };
  // Everybody gets in, with a certificate or without: an account that needs one is told so by an OAuth answer.
  const asked = files.clientCa !== undefined;
  const https = { ...(await readTlsFiles(files)), requestCert: asked, rejectUnauthorized: false };
  return { port, https: { ...https, minVersion: 'TLSv1.2' }, bodyLimit: BODY_LIMIT };
}

async function companions(settings: Settings, main: INestApplicationContext): Promise<Companion[]> {
  if (settings.ADMIN_SECRET_FILE === undefined) return [];
  const secret = await readSecretFile(settings.ADMIN_SECRET_FILE);
  // It has to travel in a header.
  if (!/^[\x20-\x7e]+$/.test(secret.toString()))
    throw new Error('The secret of ADMIN_SECRET_FILE must be printable ASCII on one line.');
  const module = adminModule(main.get(ManageAccounts), secret);
  return [{ module, http: { port: settings.ADMIN_PORT, host: settings.ADMIN_HOST, bodyLimit: BODY_LIMIT } }];
}
