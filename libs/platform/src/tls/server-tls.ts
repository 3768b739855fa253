import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { readConfiguredFile } from '../files/configured-file.js';
import { ConfigurationError } from '../lifecycle/configuration-error.js';

type Setting = 'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'CLIENT_CA_FILE';

/** The settings that contain the paths of a server's PEM files. */
export type ServerTlsSettings = Partial<Readonly<Record<Setting, string | undefined>>>;

/** A TLS file is invalid, the files do not match, or the settings name only some of them. */
export class ServerTlsError extends ConfigurationError {
  override readonly name = 'ServerTlsError';

  constructor(
    readonly setting: Setting,
    problem: string,
    cause?: unknown,
  ) {
    super(`${setting} ${problem}`, { cause });
  }
}

/**
 * The paths in the order that `toSecureContext` expects; undefined for plain HTTP.
 * @throws ServerTlsError when the settings name only some of the files
 */
export function serverTlsPaths(settings: ServerTlsSettings): string[] | undefined {
  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, CLIENT_CA_FILE: ca } = settings;
  if (cert !== undefined && key !== undefined) return ca === undefined ? [cert, key] : [cert, key, ca];
  if (cert !== undefined || key !== undefined)
    throw new ServerTlsError('TLS_CERT_FILE', 'and TLS_KEY_FILE go together: set both, or neither.');
  if (ca !== undefined)
    throw new ServerTlsError('CLIENT_CA_FILE', 'needs HTTPS: set TLS_CERT_FILE and TLS_KEY_FILE as well.');
  return undefined;
}

/**
 * TLS options from the PEM content of a certificate, its key and, optionally, the client CAs.
 * @throws ServerTlsError
 */
export function toSecureContext([cert, key, ca]: readonly Buffer[]): SecureContextOptions {
  if (cert === undefined || key === undefined) throw new TypeError('a certificate and a key are required');
  requireCertificate('TLS_CERT_FILE', cert);
  if (ca !== undefined) requireCertificate('CLIENT_CA_FILE', ca);
  const options: SecureContextOptions = { cert, key, ...(ca && { ca }), minVersion: 'TLSv1.2' };
  try {
    createSecureContext(options);
  } catch (error) {
    throw new ServerTlsError(
      'TLS_KEY_FILE',
      'is not the private key of the certificate in TLS_CERT_FILE.',
      error,
    );
  }
  return options;
}

/**
 * The TLS options that a port starts with; undefined for plain HTTP.
 * @throws ServerTlsError, or the file system's error
 */
export async function readServerTls(settings: ServerTlsSettings): Promise<SecureContextOptions | undefined> {
  const paths = serverTlsPaths(settings);
  if (paths === undefined) return undefined;
  return toSecureContext(await Promise.all(paths.map(readConfiguredFile)));
}

function requireCertificate(setting: Setting, pem: Buffer): void {
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw new ServerTlsError(setting, 'contains no readable PEM certificate.', error);
  }
}
