import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import {
  cryptoProvider,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

cryptoProvider.set(webcrypto as unknown as Parameters<typeof cryptoProvider.set>[0]);

/** PEM. */
export interface Credentials {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 86_400_000;

/** A certificate for 127.0.0.1 that vouches for itself. */
export async function selfSigned(name: string): Promise<Credentials> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm,
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    extensions: [new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  });
  const der = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: certificate.toString('pem'), key: PemConverter.encode(der, 'PRIVATE KEY') };
}
