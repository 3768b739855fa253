import { addressOf, didOf, publicKeyOf, type Address, type Did, type PrivateKey } from '@ssb/identity';

/** The one identity of the gateway: its key and everything that is derived from it. */
export interface SigningIdentity {
  readonly key: PrivateKey;
  /** Uncompressed, `0x04…`. */
  readonly publicKey: string;
  /** EIP-55. */
  readonly address: Address;
  readonly did: Did;
}

export function signingIdentity(key: PrivateKey): SigningIdentity {
  const publicKey = publicKeyOf(key);
  const address = addressOf(publicKey);
  return { key, publicKey, address, did: didOf(address) };
}
