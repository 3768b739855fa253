export type { Curve, RecoverableSignature } from './crypto/curve.js';
export { curve } from './crypto/default-curve.js';
export { keccak, nobleKeccak, type Keccak } from './crypto/keccak.js';
export { loadNativeCurve } from './crypto/native-curve.js';
export { nobleCurve } from './crypto/noble-curve.js';
export { addressOf, addressOfKey, publicKeyOf, type Address } from './keys/address.js';
export {
  addressFromDid,
  DEFAULT_DID_METHOD,
  didHasAddress,
  didOf,
  didOfKey,
  InvalidDidError,
  isDid,
  isDidMethod,
  isSameIdentity,
  lowerCaseAddress,
  methodOf,
  parseDid,
  type Did,
  type DidOptions,
} from './keys/did.js';
export {
  generatePrivateKey,
  InvalidPrivateKeyError,
  parsePrivateKey,
  PrivateKey,
} from './keys/private-key.js';
export {
  recoverSigner,
  SIGNATURE_SCHEMES,
  signMessage,
  verifyMessage,
  type CryptoPrimitives,
  type SignatureScheme,
  type SignatureVerdict,
  type SignerRecovery,
} from './signatures/bus-signature.js';
export { canonicalJson, NotCanonicalError } from './signatures/canonical-json.js';
export {
  signDetachedJws,
  signJws,
  verifyDetachedJws,
  verifyJws,
  type DetachedJwsVerdict,
  type JwsHeader,
  type JwsVerdict,
} from './signatures/jws.js';
export { IllFormedTextError } from './signatures/utf8.js';
export {
  createIdentityToken,
  isIdentityTokenType,
  verifyIdentityToken,
  type IdentityTokenOptions,
  type IdentityTokenVerdict,
} from './tokens/identity-token.js';
