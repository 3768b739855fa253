export type { Curve, RecoverableSignature } from './curve/curve.js';
export { curve } from './curve/chosen-curve.js';
export { loadNativeCurve } from './curve/native-curve.js';
export { nobleCurve } from './curve/noble-curve.js';
export type { Keccak } from './hash/keccak.js';
export { keccak } from './hash/chosen-keccak.js';
export { nobleKeccak } from './hash/noble-keccak.js';
export { addressOf, addressOfKey, publicKeyOf, type Address } from './keys/address.js';
export {
  addressFromDid,
  didOf,
  didOfKey,
  endsInAddress,
  identityOf,
  InvalidDidError,
  isDid,
  isDidMethod,
  methodOf,
  parseDid,
  isSameIdentity,
  USUAL_METHOD,
  type Did,
  type DidForm,
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
  type Primitives,
  type Recovery,
  type SignatureScheme,
  type SignatureVerdict,
} from './signatures/bus-signature.js';
export { canonicalJson, NotCanonicalError } from './signatures/canonical-json.js';
export {
  signDetachedJws,
  signJws,
  verifyDetachedJws,
  verifyJws,
  type CompactVerdict,
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
