import { hash } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { parseScopes } from '../domain/scope.js';
import type { TokenVerdict } from '../domain/access.js';
import { KeysUnreachableError } from './keys.js';

/** Signatures by a private key only: a shared secret would make every reader an issuer (RFC 8725 §3.1). */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;

/** Tokens whose signature is remembered: a few kilobytes each with many scopes. */
const MOST_REMEMBERED = 4_096;
/** A signing key that was withdrawn is believed no longer than this. */
const REMEMBERED_FOR_MS = 5 * 60_000;

type Good = TokenVerdict & { ok: true };

/** A token whose signature, issuer, audience and type are right; only its lifetime remains to be judged. Seconds since 1970. */
interface Remembered {
  verdict: Good;
  notBefore: number;
  expires: number;
}

/** Checks access tokens as RFC 9068 §4 asks: type, signature, issuer, audience, lifetime. */
export class TokenVerifier {
  /** By SHA-256 of the token, so that a dump of the memory holds no more tokens than it must. */
  private readonly remembered = new LRUCache<string, Remembered>({
    max: MOST_REMEMBERED,
    ttl: REMEMBERED_FOR_MS,
    // The clock is looked at once a second, not with each token.
    ttlResolution: 1_000,
  });

  constructor(
    private readonly keys: JWTVerifyGetKey,
    private readonly issuer: string,
    private readonly audience: string,
  ) {}

  /**
   * A token that was found good is not verified again, but its lifetime is looked at each time; a refusal is never remembered.
   * @param authorization the Authorization header as it came
   * @param now the moment that the token's lifetime is judged at
   * @throws KeysUnreachableError when no verdict is possible
   */
  async verify(authorization: string | undefined, now = new Date()): Promise<TokenVerdict> {
    const [, token] = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) {
      return {
        ok: false,
        reason: 'token-missing',
        detail: 'The header Authorization: Bearer <ACCESS_TOKEN> is needed.',
      };
    }
    const key = hash('sha256', token, 'base64url');
    const known = this.remembered.get(key);
    if (known !== undefined && livesAt(known, now)) return known.verdict;
    const outcome = await this.judge(token, now);
    if ('ok' in outcome) return outcome;
    this.remembered.set(key, outcome);
    return outcome.verdict;
  }

  private async judge(token: string, now: Date): Promise<Remembered | (TokenVerdict & { ok: false })> {
    try {
      const { payload } = await jwtVerify(token, this.keys, {
        issuer: this.issuer,
        audience: this.audience,
        algorithms: ALGORITHMS,
        typ: 'at+jwt',
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: now,
      });
      return {
        verdict: { ok: true, scopes: parseScopes(scopeOf(payload)), ...boundTo(payload) },
        notBefore: payload.nbf ?? 0,
        expires: payload.exp ?? 0,
      };
    } catch (error) {
      if (error instanceof KeysUnreachableError) throw error;
      if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) {
        throw new KeysUnreachableError('the token service', error);
      }
      return { ok: false, reason: 'token-refused', detail: whyRefused(error) };
    }
  }
}

/** RFC 7519 §4.1.4 and §4.1.5, with the same tolerance as at the first look. */
function livesAt({ notBefore, expires }: Remembered, now: Date): boolean {
  const seconds = now.getTime() / 1000;
  return notBefore <= seconds + CLOCK_TOLERANCE_SECONDS && seconds - CLOCK_TOLERANCE_SECONDS < expires;
}

function scopeOf({ scope }: JWTPayload): string {
  return typeof scope === 'string' ? scope : '';
}

/**
 * The certificate that a token is bound to, if it is (RFC 8705 §3.1). A confirmation that we cannot check (RFC 7800 §3.1
 * knows others) is that of no certificate, so that the token is not taken for one that anybody may carry.
 */
function boundTo({ cnf }: JWTPayload): { boundTo?: string } {
  if (cnf === undefined) return {};
  const isObject = typeof cnf === 'object' && cnf !== null;
  return { boundTo: isObject && 'x5t#S256' in cnf ? String(cnf['x5t#S256']) : '' };
}

function whyRefused(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The access token is not for this service: its ${error.claim} is not what is expected here.`;
  }
  return 'The access token is not one that the token service signed.';
}
