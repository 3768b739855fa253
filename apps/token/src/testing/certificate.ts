import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  cryptoProvider,
} from '@peculiar/x509';

cryptoProvider.set(webcrypto as unknown as Parameters<typeof cryptoProvider.set>[0]);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const HOUR_MS = 3_600_000;

/** A certificate and its key, PEM. */
export interface Credentials {
  readonly cert: string;
  readonly key: string;
}

export interface TestAuthority {
  /** Its own certificate, PEM. */
  readonly ca: string;
  /** A certificate for 127.0.0.1, good for a server and for a client. */
  issue(commonName: string): Promise<Credentials>;
}

/** An authority whose certificates are good for an hour. */
export async function createTestAuthority(commonName = 'Test CA'): Promise<TestAuthority> {
  const keys = await newKeys();
  const validity = {
    notBefore: new Date(Date.now() - HOUR_MS),
    notAfter: new Date(Date.now() + HOUR_MS),
    signingAlgorithm: ALGORITHM,
  };
  const root = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: `CN=${commonName}`,
    keys,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    ca: root.toString('pem'),
    issue: async (commonName) => {
      const leaf = await newKeys();
      const certificate = await X509CertificateGenerator.create({
        ...validity,
        subject: `CN=${commonName}`,
        issuer: root.subject,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
      });
      const der = await webcrypto.subtle.exportKey('pkcs8', leaf.privateKey);
      return { cert: certificate.toString('pem'), key: PemConverter.encode(der, 'PRIVATE KEY') };
    },
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
