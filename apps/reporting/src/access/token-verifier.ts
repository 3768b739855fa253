import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ProblemException, type Logger } from '@ssb/platform';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import type { TokenVerdict } from './access-decision.js';
import type { ReasonOf } from '../participants/problem-reasons.js';
import { parseScopes } from './scope.js';
import { KeysUnreachableError } from './signing-keys.js';

/** Signatures by a private key only: a shared secret would make every reader an issuer (RFC 8725 §3.1). */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;

/** Tokens whose signature was verified: a few kilobytes each with many scopes. */
const MAX_TOKENS = 4_096;
/** A signing key that was withdrawn is trusted no longer than this. */
const TOKEN_TTL_MS = 5 * 60_000;

type Good = TokenVerdict & { ok: true };

/** A token whose signature, issuer, audience and type are right; its lifetime is checked with each request. Seconds since 1970. */
interface VerifiedToken {
  verdict: Good;
  notBefore: number;
  expires: number;
}

/** Checks access tokens as RFC 9068 §4 asks: type, signature, issuer, audience, lifetime. */
export class TokenVerifier {
  /** By SHA-256 of the token, so that a dump of the memory holds no more tokens than it must. */
  private readonly verified = new LRUCache<string, VerifiedToken>({
    max: MAX_TOKENS,
    ttl: TOKEN_TTL_MS,
    // The clock is looked at once a second, not with each token.
    ttlResolution: 1_000,
  });

  constructor(
    private readonly keys: JWTVerifyGetKey,
    private readonly issuer: string,
    private readonly audience: string,
    private readonly log: Logger,
  ) {}

  /**
   * A verified token is not verified again, but its lifetime is checked each time; a refusal is never kept.
   * @param authorization the Authorization header as it came
   * @param now the moment at which the token's lifetime is checked
   * @throws ProblemException 503 while the signing keys cannot be fetched
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
    const known = this.verified.get(key);
    if (known !== undefined && livesAt(known, now)) return known.verdict;
    const outcome = await this.checkToken(token, now);
    if ('ok' in outcome) return outcome;
    this.verified.set(key, outcome);
    return outcome.verdict;
  }

  private async checkToken(
    token: string,
    now: Date,
  ): Promise<VerifiedToken | (TokenVerdict & { ok: false })> {
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
      if (NO_KEYS.some((type) => error instanceof type)) throw this.keysUnreachable(error);
      return { ok: false, reason: 'token-refused', detail: whyRefused(error) };
    }
  }

  private keysUnreachable(err: unknown): ProblemException {
    this.log.error({ err }, 'signing keys cannot be fetched');
    const reason: ReasonOf<503> = 'tokens-cannot-be-checked';
    const detail = 'Access tokens cannot be checked at the moment: ask again later.';
    return new ProblemException(503, 'Service unavailable', detail, { reason });
  }
}

/** No verdict on a token is possible. */
const NO_KEYS = [KeysUnreachableError, errors.JWKSTimeout, errors.JWKSInvalid];

/** RFC 7519 §4.1.4 and §4.1.5, with the same tolerance as at the first look. */
function livesAt({ notBefore, expires }: VerifiedToken, now: Date): boolean {
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

const moments = new WeakMap<IncomingMessage, Date>();

/** Makes the lifetime of the request's token be checked at another moment than now, as an injected fault does. */
export function setTokenCheckTime(request: IncomingMessage, moment: Date): void {
  moments.set(request, moment);
}

/** The moment at which the lifetime of the request's token is checked; undefined for now. */
export function tokenCheckTime(request: IncomingMessage): Date | undefined {
  return moments.get(request);
}
