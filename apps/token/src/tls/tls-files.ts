import { readFile } from 'node:fs/promises';
import type { Settings } from '../settings.js';

/** Paths of PEM files. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Authorities whose client certificates count; no client certificate is asked for when undefined. */
  readonly clientCa: string | undefined;
}

/** What the files hold, as Node's TLS takes it. */
export interface TlsContent {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca?: Buffer;
}

/** Undefined for plain HTTP. @throws Error when the settings name only a part */
export function tlsFilesOf(
  settings: Pick<Settings, 'TLS_CERT_FILE' | 'TLS_KEY_FILE' | 'CLIENT_CA_FILE'>,
): TlsFiles | undefined {
  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, CLIENT_CA_FILE: clientCa } = settings;
  if (cert !== undefined && key !== undefined) return { cert, key, clientCa };
  if (cert !== undefined || key !== undefined)
    throw new Error('TLS_CERT_FILE and TLS_KEY_FILE go together: set both, or neither.');
  if (clientCa !== undefined)
    throw new Error('CLIENT_CA_FILE needs HTTPS: set TLS_CERT_FILE and TLS_KEY_FILE as well.');
  return undefined;
}

/** @throws the file system's error */
export async function readTlsFiles({ cert, key, clientCa }: TlsFiles): Promise<TlsContent> {
  return {
    cert: await readFile(cert),
    key: await readFile(key),
    ...(clientCa !== undefined && { ca: await readFile(clientCa) }),
  };
}
