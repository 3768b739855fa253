import { X509Certificate, createPrivateKey } from 'node:crypto';
import { Duplex } from 'node:stream';
import { TLSSocket, createSecureContext } from 'node:tls';

/**
 * Certificates as PEM text or bytes. `cert` and `key`, or `pfx` (PKCS#12) with its `passphrase`, identify the client; `ca` replaces the
 * system's authorities.
 */
export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly pfx?: Buffer;
  readonly passphrase?: string;
}

/** `ca`, `cert`, optionally with its chain, and `key` are PEM files; `pfx` is a PKCS#12 file in place of `cert` and `key`. */
export interface TlsFileNames {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  readonly pfx?: string | undefined;
  /** A text file. White space at the ends of the password is ignored. */
  readonly pfxPassword?: string | undefined;
}

/** The checked contents of the files. */
export interface LoadedTls {
  readonly material: TlsMaterial;
  /** The client certificate; absent without one. */
  readonly certificate: ClientCertificate | undefined;
}

export interface ClientCertificate {
  /** The file that holds it. */
  readonly file: string;
  /** Absent when its subject has none, or several. */
  readonly commonName: string | undefined;
  readonly expiresAt: Date;
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
export function listTlsFiles({ ca, cert, key, pfx, pfxPassword }: TlsFileNames): string[] {
  return [ca, cert, key, pfx, pfxPassword].filter((name) => name !== undefined);
}

/**
 * Checks that the certificates are readable, the key belongs to the certificate, and TLS accepts both.
 * @param contents in the order of `listTlsFiles`
 * @throws UnusableTlsFilesError
 */
export function parseTlsFiles(names: TlsFileNames, contents: readonly Buffer[]): LoadedTls {
  const { ca, cert, key, pfx } = names;
  const byName = new Map(
    listTlsFiles(names).map((name, index) => [name, contents[index] ?? Buffer.alloc(0)]),
  );
  for (const [name, content] of byName)
    if (content.length > MAX_FILE_BYTES) throw new UnusableTlsFilesError([name], 'it is far too large');
  const readText = (name: string | undefined): string | undefined =>
    name === undefined ? undefined : byName.get(name)?.toString('utf8');
  const caText = readText(ca);
  if (ca !== undefined) parseCertificates(ca, caText ?? '');
  const authority: TlsMaterial = caText === undefined ? {} : { ca: caText };
  if (pfx !== undefined) {
    if (cert !== undefined || key !== undefined)
      throw new UnusableTlsFilesError(
        [pfx],
        'there is a PEM certificate or key as well; one form is allowed',
      );
    return parsePkcs12(names, byName.get(pfx), readText(names.pfxPassword)?.trim(), authority);
  }
  const [certText, keyText] = [readText(cert), readText(key)];
  if (cert === undefined && key === undefined) return { material: authority, certificate: undefined };
  return parsePemPair([cert, key], [certText, keyText], authority);
}

function parsePemPair(
  [cert, key]: readonly (string | undefined)[],
  [certText = '', keyText = '']: readonly (string | undefined)[],
  authority: TlsMaterial,
): LoadedTls {
  const files = [cert, key].filter((name) => name !== undefined);
  if (cert === undefined || key === undefined)
    throw new UnusableTlsFilesError(files, 'certificate and key go together');
  const [leaf] = parseCertificates(cert, certText);
  const material = { ...authority, cert: certText, key: keyText };
  check(
    files,
    'the key is not the certificate’s',
    () => leaf?.checkPrivateKey(createPrivateKey(keyText)) === true,
  );
  check(files, 'no connection can be made with it', () => createSecureContext(material) !== undefined);
  return { material, certificate: leaf && describeCertificate(cert, leaf) };
}

function parsePkcs12(
  { pfx: file = '', pfxPassword }: TlsFileNames,
  pfx: Buffer | undefined,
  password: string | undefined,
  authority: TlsMaterial,
): LoadedTls {
  const material = { ...authority, ...(pfx && { pfx }), passphrase: password ?? '' };
  const files = [file, pfxPassword].filter((name) => name !== undefined);
  const leaf = readPkcs12Certificate(files, material);
  if (leaf === undefined)
    throw new UnusableTlsFilesError([file], 'there is no certificate with its key in it');
  return { material, certificate: describeCertificate(file, leaf) };
}

/** @throws UnusableTlsFilesError */
function readPkcs12Certificate(files: readonly string[], material: TlsMaterial): X509Certificate | undefined {
  try {
    const secureContext = createSecureContext(material);
    // Node has no parser of PKCS#12; a TLS socket returns the certificate that it would send.
    const socket = new TLSSocket(new Duplex({ read: () => undefined }), { secureContext });
    const certificate = socket.getX509Certificate();
    socket.destroy();
    return certificate;
  } catch (cause) {
    throw new UnusableTlsFilesError(files, describePkcs12Failure(cause), { cause });
  }
}

/** OpenSSL's texts differ between its versions; an unknown one gets the general reason. */
function describePkcs12Failure(error: unknown): string {
  const text = error instanceof Error ? error.message : '';
  if (/mac verify|invalid password/i.test(text)) return 'the password does not open the PKCS#12 file';
  if (/private key/i.test(text)) return 'there is no certificate with its key in it';
  if (/unsupported/i.test(text))
    return 'its encryption is outdated; create the PKCS#12 file again with AES, the default of openssl 3';
  return 'it is not a PKCS#12 file';
}

function describeCertificate(file: string, certificate: X509Certificate): ClientCertificate {
  return { file, commonName: readCommonName(certificate), expiresAt: new Date(certificate.validTo) };
}

function readCommonName(certificate: X509Certificate): string | undefined {
  // Node gives several common names as an array, which its types leave out.
  const name: string | string[] | undefined = certificate.toLegacyObject().subject.CN;
  return typeof name === 'string' ? name : undefined;
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
