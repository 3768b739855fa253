import { readFile } from 'node:fs/promises';
import type { DynamicModule } from '@nestjs/common';
import { type AppOptions, type Listener, Readiness } from '@ssb/platform';
import { ACCOUNT_STORE } from './accounts/account-store.js';
import { FileAccountStore } from './accounts/file-account-store.js';
import { VerifyClient } from './accounts/verify-client.js';
import { IssueToken } from './issue-token.js';
import { type Settings, definition } from './settings.js';
import { SIGNING_KEY, loadSigningKey } from './signing/signing-key.js';
import { TokenController } from './token.controller.js';
import { WellKnownController } from './well-known.controller.js';

class TokenModule {}

/** The largest token request that makes sense, bytes. */
const BODY_LIMIT = 16_384;

/** The token service: its settings, its parts and its port. */
export const tokenApp: AppOptions<typeof definition> = {
  name: 'token',
  definition,
  module: createModule,
  http,
};

async function createModule(settings: Settings): Promise<DynamicModule> {
  const key = await loadSigningKey(settings.KEY_FILE, settings.KEY_SECRET_FILE);
  const accounts = await FileAccountStore.open(settings.ACCOUNTS_FILE);
  return {
    module: TokenModule,
    controllers: [TokenController, WellKnownController],
    providers: [
      { provide: SIGNING_KEY, useValue: key },
      {
        provide: ACCOUNT_STORE,
        inject: [Readiness],
        useFactory: (readiness: Readiness) => {
          readiness.register('accounts', () => accounts.refresh());
          return accounts;
        },
      },
      VerifyClient,
      IssueToken,
    ],
  };
}

async function http({ PORT: port, TLS_CERT_FILE: cert, TLS_KEY_FILE: key }: Settings): Promise<Listener> {
  if (cert !== undefined && key !== undefined) {
    const https = { cert: await readFile(cert), key: await readFile(key) };
    return { port, https, bodyLimit: BODY_LIMIT };
  }
  if (cert === undefined && key === undefined) return { port, bodyLimit: BODY_LIMIT };
  throw new Error('TLS_CERT_FILE and TLS_KEY_FILE go together: set both, or neither.');
}
