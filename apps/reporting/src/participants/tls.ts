import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Settings } from '../settings.js';

/** The three files that TLS of the participants' port stands on, as PEM. */
export interface TlsFiles {
  cert: Buffer;
  key: Buffer;
  ca: Buffer;
}

type TlsSettings = Pick<Settings, 'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'CLIENT_CA_FILE' | 'TRUSTED_PROXIES'>;

/** Files that TLS cannot stand on: no certificate in them, or a key that is that of another certificate. */
export class TlsFilesError extends Error {
  override readonly name = 'TlsFilesError';

  constructor(
    readonly setting: 'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'CLIENT_CA_FILE',
    problem: string,
    cause?: unknown,
  ) {
    super(`${setting} ${problem}`, { cause });
  }
}

/** The files that are looked at together, in the order of `tlsFilesFrom`. */
export function tlsPaths(settings: TlsSettings): string[] {
  return [settings.TLS_CERT_FILE, settings.TLS_KEY_FILE, settings.CLIENT_CA_FILE];
}

/** @throws TlsFilesError before anything of them is in use */
export function tlsFilesFrom([cert, key, ca]: readonly Buffer[]): TlsFiles & { expires: Date } {
  if (cert === undefined || key === undefined || ca === undefined)
    throw new TypeError('three files belong together');
  const [own] = certificatesIn('TLS_CERT_FILE', cert);
  certificatesIn('CLIENT_CA_FILE', ca);
  try {
    createSecureContext({ cert, key, ca });
  } catch (error) {
    throw new TlsFilesError('TLS_KEY_FILE', 'is no private key of the certificate in TLS_CERT_FILE.', error);
  }
  return { cert, key, ca, expires: new Date(own?.validTo ?? Number.NaN) };
}

/**
 * TLS of the participants' port. The handshake itself refuses whoever has no certificate of the named authorities
 * (document 000, Authentication). A proxy that is trusted by its address needs none: then every connection is shaken hands with,
 * and `UncertifiedConnections` ends those of anybody else.
 */
export function participantsTls(settings: TlsSettings): ServerOptions {
  const { cert, key, ca } = tlsFilesFrom(tlsPaths(settings).map((path) => readFileSync(path)));
  const proxiesByAddress = settings.TRUSTED_PROXIES.some((entry) => !entry.startsWith('sha256:'));
  return {
    cert,
    key,
    ca,
    requestCert: true,
    rejectUnauthorized: !proxiesByAddress,
    minVersion: 'TLSv1.2',
  };
}

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function certificatesIn(setting: 'TLS_CERT_FILE' | 'CLIENT_CA_FILE', pem: Buffer): X509Certificate[] {
  const blocks = pem.toString('latin1').match(PEM) ?? [];
  if (blocks.length === 0) throw new TlsFilesError(setting, 'holds no PEM certificate.');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (error) {
    throw new TlsFilesError(setting, 'holds a certificate that cannot be read.', error);
  }
}
