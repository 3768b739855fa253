import { readFile } from 'node:fs/promises';
import type { ServerOptions } from 'node:https';
import type { Settings } from '../settings.js';

type TlsSettings = Pick<Settings, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>;

/** Certificate and key file of the gateway's own port; undefined for plain HTTP. @throws Error when the settings name one alone */
export function serverTlsPaths({ TLS_CERT_FILE, TLS_KEY_FILE }: TlsSettings): [string, string] | undefined {
  if (TLS_CERT_FILE === undefined && TLS_KEY_FILE === undefined) return undefined;
  if (TLS_CERT_FILE === undefined || TLS_KEY_FILE === undefined) {
    throw new Error('TLS_CERT_FILE and TLS_KEY_FILE go together: set both, or neither.');
  }
  return [TLS_CERT_FILE, TLS_KEY_FILE];
}

export function serverTlsOf([cert, key]: readonly (Buffer | undefined)[]): ServerOptions {
  return { cert, key, minVersion: 'TLSv1.2' };
}

/** TLS that the port begins with. @throws the file system's error */
export async function readServerTls(settings: TlsSettings): Promise<ServerOptions | undefined> {
  const paths = serverTlsPaths(settings);
  return paths && serverTlsOf(await Promise.all(paths.map((path) => readFile(path))));
}
