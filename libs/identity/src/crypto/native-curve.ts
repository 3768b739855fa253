import { createRequire } from 'node:module';
import { hasLowS, reduceByOrder, withInputChecks, type Curve } from './curve.js';

/** The functions of the npm package `secp256k1` that this file uses. */
interface NativeBinding {
  privateKeyVerify(key: Uint8Array): boolean;
  publicKeyCreate(key: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaSign(digest: Uint8Array, key: Uint8Array): { signature: Uint8Array; recid: number };
  ecdsaRecover(signature: Uint8Array, recid: number, digest: Uint8Array, compressed: boolean): Uint8Array;
  ecdsaVerify(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean;
}

/**
 * libsecp256k1 through its prebuilt binding, about 35 times faster at recovering a signer.
 * @returns undefined when the package has no prebuilt binding for this platform
 */
export function loadNativeCurve(): Curve | undefined {
  const binding = loadBinding();
  return binding && createNativeCurve(binding);
}

function loadBinding(): NativeBinding | undefined {
  try {
    // The package's main file falls back to another JavaScript implementation; `nobleCurve` is the fallback here.
    return createRequire(import.meta.url)('secp256k1/bindings.js') as NativeBinding;
  } catch {
    return undefined;
  }
}

function createNativeCurve(binding: NativeBinding): Curve {
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
