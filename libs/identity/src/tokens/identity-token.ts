import { randomUUID } from 'node:crypto';
import { didOfKey, parseDid, type Did, type DidOptions } from '../keys/did.js';
import type { PrivateKey } from '../keys/private-key.js';
import { signJws, verifyJws, type JwsHeader } from '../signatures/jws.js';

/** Short, because a token is used at once. */
const MAX_LIFETIME_SECONDS = 60;
/** Header `typ` (RFC 7519 §5.1). Other kinds of token have another `typ`, so none is accepted as an identity token. */
const TYPE = 'JWT';
/** Accepted difference between two clocks. */
const CLOCK_SKEW_SECONDS = 5;

export interface IdentityTokenOptions {
  readonly key: PrivateKey;
  /** Method and network of the signer's DID. Default `did:ethr:<address>`. */
  readonly form?: DidOptions;
  /** The service that the token is for. */
  readonly audience: string;
  readonly now: Date;
  /** A whole number from 1 to 60. Default 60. */
  readonly lifetimeSeconds?: number;
  /** Additional claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export type IdentityTokenVerdict =
  | {
      readonly ok: true;
      readonly did: Did;
      /** For one use: the verifier stores it until `expiresAt`. */
      readonly jti: string;
      readonly expiresAt: Date;
      readonly claims: Readonly<Record<string, unknown>>;
    }
  | {
      readonly ok: false;
      readonly reason:
        | 'malformed'
        | 'wrong-algorithm'
        | 'wrong-type'
        | 'signature'
        | 'wrong-audience'
        | 'expired'
        | 'not-yet-valid'
        | 'lifetime-too-long'
        | 'missing-jti';
    };

/**
 * Proves to one service that the caller holds a DID: a JWS (ES256K) of `{iss, aud, iat, exp, jti}`, valid for at most
 * a minute and for one use.
 * @throws RangeError for a lifetime outside 1 to 60 seconds
 */
export function createIdentityToken({
  key,
  form = {},
  audience,
  now,
  lifetimeSeconds = MAX_LIFETIME_SECONDS,
  claims,
}: IdentityTokenOptions): string {
  if (!Number.isInteger(lifetimeSeconds) || lifetimeSeconds < 1 || lifetimeSeconds > MAX_LIFETIME_SECONDS) {
    throw new RangeError(
      `An identity token lives 1 to ${MAX_LIFETIME_SECONDS} seconds, not ${lifetimeSeconds}`,
    );
  }
  const iat = Math.floor(now.getTime() / 1000);
  const body = {
    ...claims,
    iss: didOfKey(key, form),
    aud: audience,
    iat,
    exp: iat + lifetimeSeconds,
    jti: randomUUID(),
  };
  return signJws(JSON.stringify(body), key, { typ: TYPE }, form);
}

/** Checks that the token's issuer signed it for this audience, and that it is valid now. The caller checks `jti`. */
export function verifyIdentityToken(
  token: string,
  { audience, now }: { readonly audience: string; readonly now: Date },
): IdentityTokenVerdict {
  const issuer = readIssuer(token);
  if (issuer === undefined) return { ok: false, reason: 'malformed' };
  const verdict = verifyJws(token, issuer);
  if (!verdict.ok) return verdict;
  if (!isIdentityTokenType(verdict.header)) return { ok: false, reason: 'wrong-type' };
  const claims = JSON.parse(verdict.payload) as Readonly<Record<string, unknown>>;
  const { aud, iat, exp, jti, nbf = iat } = claims;
  if (!hasAudience(aud, audience)) return { ok: false, reason: 'wrong-audience' };
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof nbf !== 'number' || exp <= iat)
    return { ok: false, reason: 'malformed' };
  const seconds = now.getTime() / 1000;
  if (exp + CLOCK_SKEW_SECONDS <= seconds) return { ok: false, reason: 'expired' };
  if (Math.max(iat, nbf) - CLOCK_SKEW_SECONDS > seconds) return { ok: false, reason: 'not-yet-valid' };
  if (exp - iat > MAX_LIFETIME_SECONDS) return { ok: false, reason: 'lifetime-too-long' };
  if (typeof jti !== 'string' || jti.length < 8 || jti.length > 100)
    return { ok: false, reason: 'missing-jti' };
  return { ok: true, did: issuer, jti, expiresAt: new Date((exp + CLOCK_SKEW_SECONDS) * 1000), claims };
}

/** Whether a header is that of an identity token: `typ` is `JWT` in any case (RFC 7519 §5.1) or absent. */
export function isIdentityTokenType(header: JwsHeader): boolean {
  const typ = header['typ'];
  return typ === undefined || (typeof typ === 'string' && typ.toUpperCase() === TYPE);
}

/** A list of one equals a text (RFC 7519 §4.1.3). Several audiences are refused: each could use the token at another. */
function hasAudience(aud: unknown, audience: string): boolean {
  return aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience);
}

function readIssuer(token: string): Did | undefined {
  try {
    const body: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof body !== 'object' || body === null || !('iss' in body)) return undefined;
    return typeof body.iss === 'string' ? parseDid(body.iss) : undefined;
  } catch {
    return undefined;
  }
}
