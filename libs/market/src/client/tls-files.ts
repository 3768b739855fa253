import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { TlsMaterial } from './http-edge.js';

/** PEM files. `cert` (with the chain behind it, where there is one) and `key` go together. */
export interface TlsFileNames {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** The files' contents, found usable together. */
export interface LoadedTls {
  readonly material: TlsMaterial;
  /** End of the client certificate; absent where there is none. */
  readonly expiresAt: Date | undefined;
}

/** Files that cannot be used as they are. */
export class UnusableTlsFilesError extends Error {
  override readonly name = 'UnusableTlsFilesError';
  constructor(
    readonly files: readonly string[],
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${files.join(', ')} cannot be used: ${reason}`, options);
  }
}

/** No certificate is larger. */
const MAX_FILE_BYTES = 1024 * 1024;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The files that are named, in the order in which `tlsOf` takes their contents. */
export function tlsPaths({ ca, cert, key }: TlsFileNames): string[] {
  return [ca, cert, key].filter((name) => name !== undefined);
}

/**
 * Checks that a connection can be made with the files' contents: each certificate can be read, and the key is the certificate's.
 * @throws UnusableTlsFilesError
 */
export function tlsOf(names: TlsFileNames, contents: readonly Buffer[]): LoadedTls {
  const { ca, cert, key } = names;
  const texts = new Map(tlsPaths(names).map((name, at) => [name, textOf(name, contents[at])]));
  const [caText, certText, keyText] = [ca, cert, key].map((name) => texts.get(name ?? ''));
  const leaf = cert === undefined ? undefined : certificatesIn(cert, certText ?? '')[0];
  if (ca !== undefined) certificatesIn(ca, caText ?? '');
  const material: TlsMaterial = {
    ...(caText !== undefined && { ca: caText }),
    ...(certText !== undefined && { cert: certText }),
    ...(keyText !== undefined && { key: keyText }),
  };
  const files = [cert, key].filter((name) => name !== undefined);
  if (leaf === undefined || key === undefined || keyText === undefined) {
    if (files.length > 0) throw new UnusableTlsFilesError(files, 'certificate and key go together');
  } else {
    usable(files, 'the key is not the certificate’s', () => leaf.checkPrivateKey(createPrivateKey(keyText)));
    usable(files, 'no connection can be made with it', () => createSecureContext(material) !== undefined);
  }
  return { material, expiresAt: leaf === undefined ? undefined : new Date(leaf.validTo) };
}

function textOf(name: string, content: Buffer | undefined): string {
  if (content === undefined) return '';
  if (content.length > MAX_FILE_BYTES) throw new UnusableTlsFilesError([name], 'it is far too large');
  return content.toString('utf8');
}

function certificatesIn(name: string, text: string): X509Certificate[] {
  const blocks = text.match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new UnusableTlsFilesError([name], 'there is no PEM certificate in it');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (cause) {
    throw new UnusableTlsFilesError([name], 'a certificate in it cannot be read', { cause });
  }
}

function usable(files: readonly string[], reason: string, check: () => boolean): void {
  let holds: boolean;
  try {
    holds = check();
  } catch (cause) {
    throw new UnusableTlsFilesError(files, reason, { cause });
  }
  if (!holds) throw new UnusableTlsFilesError(files, reason);
}
