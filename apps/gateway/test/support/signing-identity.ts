import { addressOfKey, didOfKey, generatePrivateKey } from '@ssb/identity';
import type { SigningIdentity } from '../../src/identity/identity.service.js';

/** An identity with a new key. */
export function createSigningIdentity(): SigningIdentity {
  const key = generatePrivateKey();
  return {
    key,
    publicKey: '0x04',
    address: addressOfKey(key),
    did: didOfKey(key),
    form: { method: 'ethr' },
  };
}
