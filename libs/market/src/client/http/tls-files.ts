import { X509Certificate, createPrivateKey } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { TlsMaterial } from './http-client.js';

/** PEM files. `cert`, optionally with its chain, and `key` must be given together. */
export interface TlsFileNames {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** The checked contents of the files. */
export interface LoadedTls {
  readonly material: TlsMaterial;
  /** End of the client certificate; absent without one. */
  readonly expiresAt: Date | undefined;
  /** Common name of its subject; absent without one, or with several. */
  readonly commonName: string | undefined;
}

/** The files cannot be used. */
export class UnusableTlsFilesError extends Error {
  override readonly name = 'UnusableTlsFilesError';
  readonly startFault = 'configuration';
  constructor(
    readonly files: readonly string[],
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${files.join(', ')} cannot be used: ${reason}`, options);
  }

  /** The first file, for the message of a failed start. */
  get path(): string | undefined {
    return this.files[0];
  }
}

/** More than any certificate has. */
const MAX_FILE_BYTES = 1024 * 1024;
const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The given file names, in the order in which `parseTlsFiles` expects their contents. */
export function listTlsFiles({ ca, cert, key }: TlsFileNames): string[] {
  return [ca, cert, key].filter((name) => name !== undefined);
}

/**
 * Checks that the certificates are readable, the key belongs to the certificate, and TLS accepts both.
 * @param contents in the order of `listTlsFiles`
 * @throws UnusableTlsFilesError
 */
export function parseTlsFiles(names: TlsFileNames, contents: readonly Buffer[]): LoadedTls {
  const { ca, cert, key } = names;
  const texts = new Map(listTlsFiles(names).map((name, index) => [name, readText(name, contents[index])]));
  const [caText, certText, keyText] = [ca, cert, key].map((name) => texts.get(name ?? ''));
  const leaf = cert === undefined ? undefined : parseCertificates(cert, certText ?? '')[0];
  if (ca !== undefined) parseCertificates(ca, caText ?? '');
  const material: TlsMaterial = {
    ...(caText !== undefined && { ca: caText }),
    ...(certText !== undefined && { cert: certText }),
    ...(keyText !== undefined && { key: keyText }),
  };
  const files = [cert, key].filter((name) => name !== undefined);
  if (leaf === undefined || key === undefined || keyText === undefined) {
    if (files.length > 0) throw new UnusableTlsFilesError(files, 'certificate and key go together');
  } else {
    check(files, 'the key is not the certificate’s', () => leaf.checkPrivateKey(createPrivateKey(keyText)));
    check(files, 'no connection can be made with it', () => createSecureContext(material) !== undefined);
  }
  return {
    material,
    expiresAt: leaf === undefined ? undefined : new Date(leaf.validTo),
    commonName: leaf === undefined ? undefined : readCommonName(leaf),
  };
}

function readCommonName(certificate: X509Certificate): string | undefined {
  // Node gives several common names as an array, which its types leave out.
  const name: string | string[] | undefined = certificate.toLegacyObject().subject.CN;
  return typeof name === 'string' ? name : undefined;
}

function readText(name: string, content: Buffer | undefined): string {
  if (content === undefined) return '';
  if (content.length > MAX_FILE_BYTES) throw new UnusableTlsFilesError([name], 'it is far too large');
  return content.toString('utf8');
}

function parseCertificates(name: string, text: string): X509Certificate[] {
  const blocks = text.match(PEM_CERTIFICATE) ?? [];
  if (blocks.length === 0) throw new UnusableTlsFilesError([name], 'there is no PEM certificate in it');
  try {
    return blocks.map((block) => new X509Certificate(block));
  } catch (cause) {
    throw new UnusableTlsFilesError([name], 'a certificate in it cannot be read', { cause });
  }
}

/** @throws UnusableTlsFilesError when the test fails or throws */
function check(files: readonly string[], reason: string, test: () => boolean): void {
  let passes: boolean;
  try {
    passes = test();
  } catch (cause) {
    throw new UnusableTlsFilesError(files, reason, { cause });
  }
  if (!passes) throw new UnusableTlsFilesError(files, reason);
}
