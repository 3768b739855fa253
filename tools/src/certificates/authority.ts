import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 24 * 3_600_000;

x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);

/** A certificate and its private key, PEM. */
export interface Credential {
  readonly certificate: string;
  readonly key: string;
}

export interface Authority extends Credential {
  /** A server certificate for the given host names and addresses. */
  issueServer(commonName: string, hosts: readonly string[]): Promise<Credential>;
  /** A client certificate; its common name is what the server takes the caller for. */
  issueClient(commonName: string): Promise<Credential>;
}

/** Makes a certificate authority for development. Its certificates must never be trusted outside this machine. */
export async function createAuthority(now: Date, days = 825): Promise<Authority> {
  const keys = await generateKeys();
  const name = 'CN=settlement-bus-bridge development CA';
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name,
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
  return authorityFrom(certificate, keys.privateKey, await pemOf(keys.privateKey), now);
}

/** Takes up an authority made earlier. */
export async function loadAuthority(credential: Credential, now: Date): Promise<Authority> {
  const der = x509.PemConverter.decodeFirst(credential.key);
  const key = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
  return authorityFrom(new x509.X509Certificate(credential.certificate), key, credential.key, now);
}

function authorityFrom(
  ca: x509.X509Certificate,
  key: webcrypto.CryptoKey,
  keyPem: string,
  now: Date,
): Authority {
  const issue = async (commonName: string, usage: string, hosts: readonly string[]): Promise<Credential> => {
    const keys = await generateKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: [{ CN: [commonName] }],
      issuer: ca.subject,
      notBefore: new Date(now.getTime() - DAY_MS),
      notAfter: new Date(Math.min(now.getTime() + 397 * DAY_MS, ca.notAfter.getTime())),
      signingAlgorithm: ALGORITHM,
      signingKey: key,
      publicKey: keys.publicKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage]),
        await x509.AuthorityKeyIdentifierExtension.create(ca.publicKey),
        ...(hosts.length > 0
          ? [new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: kindOf(value), value })))]
          : []),
      ],
    });
    return { certificate: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
  };
  return {
    certificate: ca.toString('pem'),
    key: keyPem,
    issueServer: (commonName, hosts) => issue(commonName, x509.ExtendedKeyUsage.serverAuth, hosts),
    issueClient: (commonName) => issue(commonName, x509.ExtendedKeyUsage.clientAuth, []),
  };
}

function kindOf(host: string): 'ip' | 'dns' {
  return /^[\d.]+$|:/.test(host) ? 'ip' : 'dns';
}

async function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return x509.PemConverter.encode(der, 'PRIVATE KEY');
}

function serial(): string {
  // RFC 5280 §4.1.2.2: positive, at most 20 octets.
  return `01${Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString('hex')}`;
}
