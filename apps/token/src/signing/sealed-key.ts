import { seal, type Sealing, unseal } from '@ssb/platform';

/** A stored key cannot be opened: it was sealed with another secret, under another name, or is damaged. */
export class SealedKeyError extends Error {
  override readonly name = 'SealedKeyError';

  constructor(readonly keyId: string) {
    super(
      `The signing key ${keyId} cannot be opened: it was sealed with another secret than that of KEY_SECRET_FILE, or is damaged.`,
    );
  }
}

/** Encrypts a key under the secret, bound to the key's name. */
export function sealKey(keyId: string, plaintext: Buffer, secret: Buffer): Buffer {
  return seal(plaintext, sealingOf(keyId, secret));
}

/** @throws SealedKeyError */
export function openKey(keyId: string, sealed: Uint8Array, secret: Buffer): Buffer {
  const plaintext = unseal(sealed, sealingOf(keyId, secret));
  if (plaintext === undefined) throw new SealedKeyError(keyId);
  return plaintext;
}

function sealingOf(keyId: string, secret: Buffer): Sealing {
  return { secret, purpose: 'settlement-bus-bridge token signing key', label: Buffer.from(keyId) };
}
