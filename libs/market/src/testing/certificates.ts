import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  cryptoProvider,
} from '@peculiar/x509';
import type { TlsMaterial } from '../client/http-edge.js';

cryptoProvider.set(webcrypto as unknown as Parameters<typeof cryptoProvider.set>[0]);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const HOUR_MS = 3_600_000;

/** PEM texts. */
export interface IssuedCertificate extends Required<TlsMaterial> {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority that lives as long as a test. */
export interface TestAuthority {
  /** Its own certificate, PEM. */
  readonly ca: string;
  /** A certificate for 127.0.0.1 and its key, together with `ca`: good for a server and for a client, for an hour unless said otherwise. */
  issue(commonName: string, notAfter?: Date): Promise<IssuedCertificate>;
}

export async function createTestAuthority(): Promise<TestAuthority> {
  const keys = await newKeys();
  const validity = {
    notBefore: new Date(Date.now() - HOUR_MS),
    notAfter: new Date(Date.now() + HOUR_MS),
    signingAlgorithm: ALGORITHM,
  };
  const extensions = [new BasicConstraintsExtension(true, undefined, true)];
  const root = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=Test CA',
    keys,
    extensions,
  });
  const ca = root.toString('pem');
  return {
    ca,
    issue: async (commonName, notAfter = validity.notAfter) => {
      const leaf = await newKeys();
      const certificate = await X509CertificateGenerator.create({
        ...validity,
        notAfter,
        subject: `CN=${commonName}`,
        issuer: root.subject,
        publicKey: leaf.publicKey,
        signingKey: keys.privateKey,
        extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
      });
      const der = await webcrypto.subtle.exportKey('pkcs8', leaf.privateKey);
      return { ca, cert: certificate.toString('pem'), key: PemConverter.encode(der, 'PRIVATE KEY') };
    },
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}
