import {
  addressOf,
  didOf,
  publicKeyOf,
  type Address,
  type Did,
  type DidForm,
  type PrivateKey,
} from '@ssb/identity';

/** The one identity of the gateway: its key and everything that is derived from it. */
export interface SigningIdentity {
  readonly key: PrivateKey;
  /** Uncompressed, `0x04…`. */
  readonly publicKey: string;
  /** EIP-55. */
  readonly address: Address;
  readonly did: Did;
  /** What its DID has before the address. */
  readonly form: DidForm;
}

export function signingIdentity(key: PrivateKey, form: DidForm): SigningIdentity {
  const publicKey = publicKeyOf(key);
  const address = addressOf(publicKey);
  return { key, publicKey, address, did: didOf(address, form), form };
}
