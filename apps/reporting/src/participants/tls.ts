import { readFileSync } from 'node:fs';
import type { ServerOptions } from 'node:https';
import type { Settings } from '../settings.js';

/**
 * TLS of the participants' port. The handshake itself refuses whoever has no certificate of the named authorities
 * (document 000, Authentication).
 */
export function participantsTls(
  settings: Pick<Settings, 'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'CLIENT_CA_FILE'>,
): ServerOptions {
  return {
    cert: readFileSync(settings.TLS_CERT_FILE),
    key: readFileSync(settings.TLS_KEY_FILE),
    ca: readFileSync(settings.CLIENT_CA_FILE),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  };
}
