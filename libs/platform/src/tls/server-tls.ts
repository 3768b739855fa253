import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { readConfiguredFiles } from '../files/configured-file.js';
import { ConfigurationError } from '../lifecycle/configuration-error.js';

/** Before the names of the settings of one port. The port of an app's interface has none. */
export type ServerTlsPrefix = '' | 'MANAGEMENT_';

type Setting = `${ServerTlsPrefix}${'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'CLIENT_CA_FILE'}`;

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
export function serverTlsPaths(
  settings: ServerTlsSettings,
  prefix: ServerTlsPrefix = '',
): string[] | undefined {
  const cert = settings[`${prefix}TLS_CERT_FILE`];
  const key = settings[`${prefix}TLS_KEY_FILE`];
  const ca = settings[`${prefix}CLIENT_CA_FILE`];
  const both = `${prefix}TLS_CERT_FILE and ${prefix}TLS_KEY_FILE`;
  if (cert !== undefined && key !== undefined) return ca === undefined ? [cert, key] : [cert, key, ca];
  if (cert !== undefined || key !== undefined)
    throw new ServerTlsError(
      `${prefix}TLS_CERT_FILE`,
      `and ${prefix}TLS_KEY_FILE go together: set both, or neither.`,
    );
  if (ca !== undefined)
    throw new ServerTlsError(`${prefix}CLIENT_CA_FILE`, `needs HTTPS: set ${both} as well.`);
  return undefined;
}

/**
 * TLS options from the PEM content of a certificate, its key and, optionally, the client CAs.
 * @throws ServerTlsError
 */
export function toSecureContext(
  [cert, key, ca]: readonly Buffer[],
  prefix: ServerTlsPrefix = '',
): SecureContextOptions {
  if (cert === undefined || key === undefined) throw new TypeError('a certificate and a key are required');
  assertCertificate(`${prefix}TLS_CERT_FILE`, cert);
  if (ca !== undefined) assertCertificate(`${prefix}CLIENT_CA_FILE`, ca);
  const options: SecureContextOptions = { cert, key, ...(ca && { ca }), minVersion: 'TLSv1.2' };
  try {
    createSecureContext(options);
  } catch (error) {
    throw new ServerTlsError(
      `${prefix}TLS_KEY_FILE`,
      `is not the private key of the certificate in ${prefix}TLS_CERT_FILE.`,
      error,
    );
  }
  return options;
}

/**
 * The TLS options that a port starts with; undefined for plain HTTP.
 * @throws ServerTlsError, or the file system's error
 */
export async function readServerTls(
  settings: ServerTlsSettings,
  prefix: ServerTlsPrefix = '',
): Promise<SecureContextOptions | undefined> {
  const paths = serverTlsPaths(settings, prefix);
  if (paths === undefined) return undefined;
  return toSecureContext(await readConfiguredFiles(paths), prefix);
}

function assertCertificate(setting: Setting, pem: Buffer): void {
  try {
    new X509Certificate(pem);
  } catch (error) {
    throw new ServerTlsError(setting, 'contains no readable PEM certificate.', error);
  }
}
