import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3_600_000;
const USAGES = { server: x509.ExtendedKeyUsage.serverAuth, client: x509.ExtendedKeyUsage.clientAuth };

x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);

/** A certificate and its private key (PKCS #8) in PEM, with the names of Node's TLS options. */
export interface Credential {
  readonly cert: string;
  readonly key: string;
}

/** The subject of a certificate: a common name, or a whole name in the form of RFC 4514 such as `OU=desk, CN=client-7`. */
export type CertificateSubject =
  | { readonly commonName: string; readonly subject?: undefined }
  | { readonly subject: string; readonly commonName?: undefined };

export type IssueOptions = CertificateSubject & {
  /** Host names and addresses of a server; none for a client. */
  readonly hosts?: readonly string[];
  /** Default: both. */
  readonly usage?: keyof typeof USAGES;
  /** Default: 397 days after the authority's `now`, or the authority's own end when that is sooner. */
  readonly notAfter?: Date;
};

export interface AuthorityOptions {
  /** Common name. */
  readonly name: string;
  /** Start of all validity periods. Each begins a day earlier, for slow clocks. */
  readonly now: Date;
  /** Validity of the authority, days. Default 825. */
  readonly days?: number;
}

/**
 * Creates a certificate authority for development and tests (P-256, RFC 5280). Its key is not protected, so its certificates must not be
 * trusted outside this machine.
 */
export async function createAuthority({ name, now, days = 825 }: AuthorityOptions): Promise<Authority> {
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: createSerialNumber(),
    name: [{ CN: [name] }],
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + days * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return new Authority(certificate, keys.privateKey, await toPem(keys.privateKey), now);
}

/**
 * Loads an existing authority. It does not check that the key belongs to the certificate.
 * @throws Error when certificate or key cannot be read
 */
export async function loadAuthority({ cert, key }: Credential, now: Date): Promise<Authority> {
  const der = x509.PemConverter.decodeFirst(key);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
  return new Authority(new x509.X509Certificate(cert), signingKey, key, now);
}

/** A certificate authority. Servers and clients that trust its certificate trust all certificates that it issues. */
export class Authority implements Credential {
  readonly cert: string;

  constructor(
    private readonly certificate: x509.X509Certificate,
    private readonly signingKey: webcrypto.CryptoKey,
    readonly key: string,
    private readonly now: Date,
  ) {
    this.cert = certificate.toString('pem');
  }

  /** Issues a certificate with a new key, valid from a day before the authority's `now`. */
  async issue({ commonName, subject, hosts = [], usage, notAfter }: IssueOptions): Promise<Credential> {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: createSerialNumber(),
      subject: subject ?? [{ CN: [commonName] }],
      issuer: this.certificate.subjectName,
      notBefore: new Date(this.now.getTime() - DAY_MS),
      notAfter: notAfter ?? this.defaultEnd(),
      signingAlgorithm: ALGORITHM,
      signingKey: this.signingKey,
      publicKey: keys.publicKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension(usage === undefined ? Object.values(USAGES) : [USAGES[usage]]),
        await x509.AuthorityKeyIdentifierExtension.create(this.certificate.publicKey),
        ...(hosts.length > 0 ? [new x509.SubjectAlternativeNameExtension(hosts.map(toGeneralName))] : []),
      ],
    });
    return { cert: certificate.toString('pem'), key: await toPem(keys.privateKey) };
  }

  private defaultEnd(): Date {
    return new Date(Math.min(this.now.getTime() + 397 * DAY_MS, this.certificate.notAfter.getTime()));
  }
}

function toGeneralName(host: string): { type: 'ip' | 'dns'; value: string } {
  return { type: isIP(host) === 0 ? 'dns' : 'ip', value: host };
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function toPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return x509.PemConverter.encode(der, 'PRIVATE KEY');
}

function createSerialNumber(): string {
  // RFC 5280 §4.1.2.2: positive, at most 20 octets.
  return `01${Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString('hex')}`;
}
