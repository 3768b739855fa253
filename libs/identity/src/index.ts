export { curve, keccak, sha256 } from '#primitives';
export type { Curve } from './crypto/curve.js';
export { hmacSha256 } from './crypto/hmac.js';
export { createNativeCurve, type NativeBinding } from './crypto/native-curve.js';
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
  type SignatureScheme,
  type SignerRecovery,
} from './signatures/bus-signature.js';
export { canonicalJson, NotCanonicalError } from './signatures/canonical-json.js';
export { readJwsHeader, signDetachedJws, signJws, verifyDetachedJws, verifyJws } from './signatures/jws.js';
export { decodeUtf8, encodeUtf8, IllFormedTextError } from './signatures/utf8.js';
export { createIdentityToken, isIdentityTokenType, verifyIdentityToken } from './tokens/identity-token.js';
