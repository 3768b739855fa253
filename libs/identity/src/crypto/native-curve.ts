import { hasLowS, reduceByOrder, withInputChecks, type Curve } from './curve.js';

/** The functions of the npm package `secp256k1` that this file uses. Its file `bindings.js` has them. */
export interface NativeBinding {
  privateKeyVerify(key: Uint8Array): boolean;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(signature: Uint8Array, recid: number, digest: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean;
}

/** A curve that uses libsecp256k1, about 35 times faster at recovering a signer than noble. */
export function createNativeCurve(binding: NativeBinding): Curve {
  const assertPrivateKey = (key: Uint8Array): void => {
    if (key.length !== 32 || !binding.privateKeyVerify(key))
      throw new RangeError('Not a private key of secp256k1');
  };
  return withInputChecks({
    name: 'native',
    publicKey: (privateKey) => {
      assertPrivateKey(privateKey);
      return binding.publicKeyCreate(privateKey, false);
    },
    sign: (digest, privateKey) => {
      assertPrivateKey(privateKey);
      // libsecp256k1 leaves the reduction to its caller.
      const { signature, recid } = binding.ecdsaSign(reduceByOrder(digest), privateKey);
      return { compact: signature, recovery: recid === 1 ? 1 : 0 };
    },
    recover: (digest, compact, recovery) => {
      if (!hasLowS(compact)) return undefined;
      try {
        return binding.ecdsaRecover(compact, recovery, digest, false);
      } catch {
        return undefined;
      }
    },
    verify: (digest, compact, publicKey) => {
      try {
        return binding.ecdsaVerify(compact, digest, publicKey);
      } catch {
        return false;
      }
    },
  });
}
