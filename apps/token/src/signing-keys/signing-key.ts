import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { ConfigurationError, encrypt, type EncryptionContext, decrypt } from '@ssb/platform';
import { type JWK, calculateJwkThumbprint, exportJWK, generateKeyPair } from 'jose';
import { z } from 'zod';

/** An ES256 key that signs tokens. */
export interface SigningKey {
  /** The thumbprint of the public key (RFC 7638). */
  readonly keyId: string;
  readonly privateKey: KeyObject;
  readonly publicJwk: JWK;
}

const privateJwkSchema = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.base64url(),
  y: z.base64url(),
  d: z.base64url(),
});

/** Generates a key and returns its private JWK as JSON. */
export async function generateSigningKey(): Promise<{ keyId: string; privateJwk: Buffer }> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const { kty, crv, x, y, d } = privateJwkSchema.parse(await exportJWK(privateKey));
  const keyId = await calculateJwkThumbprint({ kty, crv, x, y });
  return { keyId, privateJwk: Buffer.from(JSON.stringify({ kty, crv, x, y, d })) };
}

/** @throws SyntaxError, ZodError or a crypto error unless the text is a private JWK for ES256 */
export async function importSigningKey(privateJwk: Buffer): Promise<SigningKey> {
  const jwk = privateJwkSchema.parse(JSON.parse(privateJwk.toString('utf8')));
  const { kty, crv, x, y } = jwk;
  const keyId = await calculateJwkThumbprint({ kty, crv, x, y });
  const privateKey = createPrivateKey({ key: jwk, format: 'jwk' });
  return { keyId, privateKey, publicJwk: { kty, crv, x, y, kid: keyId, alg: 'ES256', use: 'sig' } };
}

/** A stored key cannot be decrypted: it was encrypted with another secret or for another key id, or is damaged. */
export class KeyDecryptionError extends ConfigurationError {
  override readonly name = 'KeyDecryptionError';

  constructor(readonly keyId: string) {
    super(
      `The signing key ${keyId} cannot be decrypted: it was encrypted with another secret than that of KEY_SECRET_FILE, or is damaged.`,
    );
  }
}

/** Encrypts a key with the secret. The result can be decrypted only with the same key id. */
export function encryptKey(keyId: string, plaintext: Buffer, secret: Buffer): Buffer {
  return encrypt(plaintext, encryptionContext(keyId, secret));
}

/** @throws KeyDecryptionError */
export function decryptKey(keyId: string, encrypted: Uint8Array, secret: Buffer): Buffer {
  const plaintext = decrypt(encrypted, encryptionContext(keyId, secret));
  if (plaintext === undefined) throw new KeyDecryptionError(keyId);
  return plaintext;
}

function encryptionContext(keyId: string, secret: Buffer): EncryptionContext {
  return { secret, purpose: 'settlement-bus-bridge token signing key', label: Buffer.from(keyId) };
}

/** Signs a JWT on this thread, because handing one token to another thread costs more. */
export function signJwt(typ: string, payload: object, { keyId, privateKey }: SigningKey): string {
  // RFC 7515 §7.1. RFC 7518 §3.4 puts the two numbers of the signature side by side instead of DER.
  const signed = [{ alg: 'ES256', typ, kid: keyId }, payload]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}
