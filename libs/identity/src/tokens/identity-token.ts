import { randomUUID } from 'node:crypto';
import { didOfKey, parseDid, type Did, type DidForm } from '../keys/did.js';
import type { PrivateKey } from '../keys/private-key.js';
import { signJws, verifyJws, type JwsHeader } from '../signatures/jws.js';

/** Longest lifetime of an identity token, seconds: it is used at once. */
const LONGEST_LIFETIME_S = 60;
/** Header `typ` (RFC 7519 §5.1); other kinds of token carry another, so that none passes for an identity token. */
const TYPE = 'JWT';
/** How far two clocks may be apart, seconds. */
const CLOCK_SKEW_S = 5;

export interface IdentityTokenOptions {
  readonly key: PrivateKey;
  /** How the signer writes its DID; `did:ethr:<address>` unless told. */
  readonly form?: DidForm;
  /** Who it is meant for. */
  readonly audience: string;
  readonly now: Date;
  /** A whole number from 1 to 60; 60 unless told. */
  readonly lifetimeSeconds?: number;
  /** Further claims. */
  readonly claims?: Readonly<Record<string, unknown>>;
}

export type IdentityTokenVerdict =
  | {
      readonly ok: true;
      readonly did: Did;
      /** To be used once; whoever accepts the token remembers it until `expiresAt`. */
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
 * A statement "I am this DID, now, to you": a JWS (ES256K) of `{iss, aud, iat, exp, jti}`, good for a minute and for one use.
 * @throws RangeError for a lifetime that every verifier would refuse
 */
export function createIdentityToken({
  key,
  form = {},
  audience,
  now,
  lifetimeSeconds = LONGEST_LIFETIME_S,
  claims,
}: IdentityTokenOptions): string {
  if (!Number.isInteger(lifetimeSeconds) || lifetimeSeconds < 1 || lifetimeSeconds > LONGEST_LIFETIME_S) {
    throw new RangeError(
      `an identity token lives 1 to ${LONGEST_LIFETIME_S} seconds, not ${lifetimeSeconds}`,
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

/** Whether the token's own issuer signed it, for this audience, for now. Using a `jti` once is the caller's part. */
export function verifyIdentityToken(
  token: string,
  { audience, now }: { readonly audience: string; readonly now: Date },
): IdentityTokenVerdict {
  const issuer = issuerOf(token);
  if (issuer === undefined) return { ok: false, reason: 'malformed' };
  const verdict = verifyJws(token, issuer);
  if (!verdict.ok) return verdict;
  if (!isIdentityTokenType(verdict.header)) return { ok: false, reason: 'wrong-type' };
  const claims = JSON.parse(verdict.payload) as Readonly<Record<string, unknown>>;
  const { aud, iat, exp, jti, nbf = iat } = claims;
  if (!isFor(aud, audience)) return { ok: false, reason: 'wrong-audience' };
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof nbf !== 'number' || exp <= iat)
    return { ok: false, reason: 'malformed' };
  const seconds = now.getTime() / 1000;
  if (exp + CLOCK_SKEW_S <= seconds) return { ok: false, reason: 'expired' };
  if (Math.max(iat, nbf) - CLOCK_SKEW_S > seconds) return { ok: false, reason: 'not-yet-valid' };
  if (exp - iat > LONGEST_LIFETIME_S) return { ok: false, reason: 'lifetime-too-long' };
  if (typeof jti !== 'string' || jti.length < 8 || jti.length > 100)
    return { ok: false, reason: 'missing-jti' };
  return { ok: true, did: issuer, jti, expiresAt: new Date((exp + CLOCK_SKEW_S) * 1000), claims };
}

/** Whether a header is one of an identity token: `typ` is `JWT` in any case (RFC 7519 §5.1), or absent as some clients leave it. */
export function isIdentityTokenType(header: JwsHeader): boolean {
  const typ = header['typ'];
  return typ === undefined || (typeof typ === 'string' && typ.toUpperCase() === TYPE);
}

/** A list of one is the same as a text (RFC 7519 §4.1.3). A token for several is none for us: each of them could use it at another. */
function isFor(aud: unknown, audience: string): boolean {
  return aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience);
}

function issuerOf(token: string): Did | undefined {
  try {
    const body: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
    if (typeof body !== 'object' || body === null || !('iss' in body)) return undefined;
    return typeof body.iss === 'string' ? parseDid(body.iss) : undefined;
  } catch {
    return undefined;
  }
}
