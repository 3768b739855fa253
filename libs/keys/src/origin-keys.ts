import { parsePrivateKey } from '@ssb/identity';
import { KeyRing, parseKeyRing } from './domain/key-ring.js';

/**
 * Parses the decrypted content of ORIGIN_KEY_FILE: 64 hexadecimal digits, or a key ring of such secrets.
 * @throws KeyRingError, InvalidPrivateKeyError
 */
export function parseOriginKeyRing(content: Buffer): KeyRing {
  const { keys } = parseKeyRing(content.toString('utf8'), 1);
  return new KeyRing(keys.map((key) => ({ ...key, secret: parsePrivateKey(key.secret).toHex() })));
}
