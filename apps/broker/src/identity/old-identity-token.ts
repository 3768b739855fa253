import { isUtf8 } from 'node:buffer';
import {
  didHasAddress,
  isDid,
  isIdentityTokenType,
  keccak,
  recoverSigner,
  type Did,
  type SignatureScheme,
  type SignerRecovery,
} from '@ssb/identity';
import { z } from 'zod';
import { verifySignedToken } from './signed-token.js';

/** Nothing else is accepted: a token with `exp` or `aud` is one of another form, and its claims would not be checked. */
const header = z.strictObject({ alg: z.literal('ES256'), typ: z.literal('JWT') });
const claims = z.strictObject({
  iss: z.string().refine(isDid),
  claimData: z.record(z.string(), z.unknown()),
});

/** Base64 with either alphabet (RFC 4648 §4 and §5), with or without padding. */
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The signer of a reusable token; undefined for any other. It is a JWS without `exp`, or a token of the public gateway or the Python
 * client.
 * @param scheme how the messages of this bus are signed
 */
export function verifyOldIdentityToken(token: string, scheme: SignatureScheme): Did | undefined {
  return verifyTokenWithoutExpiry(token) ?? verifyPublicGatewayToken(token, scheme);
}

function verifyTokenWithoutExpiry(token: string): Did | undefined {
  const verdict = verifySignedToken(token);
  if (!verdict.ok || !isIdentityTokenType(verdict.header) || 'exp' in verdict.claims) return undefined;
  return verdict.issuer;
}

/**
 * `header.payload.signature`, each in base64. The third part is the text of a hexadecimal signature of 65 bytes, in spite
 * of `alg: ES256`.
 */
function verifyPublicGatewayToken(token: string, scheme: SignatureScheme): Did | undefined {
  const [head = '', body = '', last = '', ...more] = token.split('.');
  if (more.length > 0 || !header.safeParse(parseJson(head)).success) return undefined;
  const { data } = claims.safeParse(parseJson(body));
  if (data === undefined) return undefined;
  const digits = decode(last).replace(/^0x/, '');
  const isSigned = recoverSigners(`${head}.${body}`, `0x${digits}`, scheme).some(
    (signer) => signer.ok && didHasAddress(data.iss, signer.address),
  );
  return isSigned ? data.iss : undefined;
}

/**
 * The gateway signs the hash of the text by EIP-191, the Python client without the prefix. A gateway also signs payloads
 * for its clients, so a text that can be a payload on this bus is not a login. On another bus it can be (docs/security.md).
 */
function recoverSigners(text: string, signature: string, scheme: SignatureScheme): SignerRecovery[] {
  const hash = keccak.hash(Buffer.from(text, 'utf8'));
  return [
    ...(isUtf8(hash) ? [] : [recoverSigner(hash, signature, 'eip191')]),
    ...(scheme === 'keccak256' ? [] : [recoverSigner(text, signature, 'keccak256')]),
  ];
}

/** The decoded text; empty when it is not base64. */
function decode(encoded: string): string {
  return BASE64.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : '';
}

function parseJson(encoded: string): unknown {
  try {
    return JSON.parse(decode(encoded));
  } catch {
    return undefined;
  }
}
