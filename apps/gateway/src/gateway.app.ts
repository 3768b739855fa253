import { readFile } from 'node:fs/promises';
import type { AppOptions } from '@ssb/platform';
import { GatewayModule } from './gateway.module.js';
import { errAnswers } from './http/err-answers.js';
import { BODY_LIMIT, definition, type Settings } from './settings.js';

/** The gateway as a process runs it and as a test builds it. */
export const gateway: AppOptions<typeof definition> = {
  name: 'gateway',
  definition,
  failures: errAnswers,
  module: () => ({ module: GatewayModule }),
  http: async (settings) => ({ port: settings.PORT, bodyLimit: BODY_LIMIT, ...(await tls(settings)) }),
};

async function tls({
  TLS_CERT_FILE,
  TLS_KEY_FILE,
}: Settings): Promise<{ https?: { cert: Buffer; key: Buffer } }> {
  if (TLS_CERT_FILE === undefined && TLS_KEY_FILE === undefined) return {};
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) {
    throw new Error('TLS_CERT_FILE and TLS_KEY_FILE go together: set both, or neither.');
  }
  return { https: { cert: await readFile(TLS_CERT_FILE), key: await readFile(TLS_KEY_FILE) } };
}
