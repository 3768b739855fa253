import { readSecretFile, sealToFile, unsealFromFile } from '@ssb/platform';
import {
  type CryptoKey,
  type JWK,
  calculateJwkThumbprint,
  exportJWK,
  generateKeyPair,
  importJWK,
} from 'jose';
import { z } from 'zod';
import { isThere } from '../files/is-there.js';

/** The ES256 key that signs tokens, and its public half as the JWKS shows it. */
export interface SigningKey {
  readonly keyId: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** Injection token of the signing key. */
export const SIGNING_KEY = Symbol('SIGNING_KEY');

const privateJwkSchema = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.base64url(),
  y: z.base64url(),
  d: z.base64url(),
});

/**
 * The key in the sealed file; at the first start, a new one that is sealed there.
 * @throws SecretFileError, SealedFileError
 */
export async function loadSigningKey(keyFile: string, secretFile: string): Promise<SigningKey> {
  const secret = await readSecretFile(secretFile);
  if (!(await isThere(keyFile))) await sealToFile(keyFile, await newPrivateJwk(), secret);
  const unsealed = await unsealFromFile(keyFile, secret);
  const jwk = privateJwkSchema.parse(JSON.parse(unsealed.toString('utf8')));
  const { kty, crv, x, y } = jwk;
  const keyId = await calculateJwkThumbprint({ kty, crv, x, y });
  return {
    keyId,
    privateKey: await importPrivateKey(jwk),
    publicJwk: { kty, crv, x, y, kid: keyId, alg: 'ES256', use: 'sig' },
  };
}

async function importPrivateKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'ES256');
  if (key instanceof Uint8Array) throw new TypeError('an EC key is never imported as bytes');
  return key;
}

async function newPrivateJwk(): Promise<Buffer> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return Buffer.from(JSON.stringify(await exportJWK(privateKey)));
}
