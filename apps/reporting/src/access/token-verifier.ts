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

/** A verified token has a few kilobytes with many scopes. */
const MAX_TOKENS = 4_096;
/** Bounds how long a withdrawn signing key is trusted. */
const TOKEN_TTL_MS = 5 * 60_000;

type Accepted = TokenVerdict & { ok: true };

/** A token with valid signature, issuer, audience and type. Times are epoch seconds. */
interface VerifiedToken {
  verdict: Accepted;
  notBefore: number;
  expires: number;
}

/** Verifies type, signature, issuer, audience and lifetime of access tokens (RFC 9068 §4). */
export class TokenVerifier {
  /** Keyed by SHA-256 of the token, so that a memory dump shows fewer tokens. */
  private readonly verified = new LRUCache<string, VerifiedToken>({
    max: MAX_TOKENS,
    ttl: TOKEN_TTL_MS,
    // The clock is read once a second, not with each token.
    ttlResolution: 1_000,
  });

  constructor(
    private readonly keys: JWTVerifyGetKey,
    private readonly issuer: string,
    private readonly audience: string,
    private readonly log: Logger,
  ) {}

  /**
   * A verified token is cached, and its lifetime is checked each time. A refusal is never cached.
   * @param authorization the Authorization header as sent
   * @param now the time at which the token's lifetime is checked
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
    const cached = this.verified.get(key);
    if (cached !== undefined && isValidAt(cached, now)) return cached.verdict;
    const outcome = await this.verifyToken(token, now);
    if ('ok' in outcome) return outcome;
    this.verified.set(key, outcome);
    return outcome.verdict;
  }

  private async verifyToken(
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
        verdict: { ok: true, scopes: parseScopes(getScope(payload)), ...boundTo(payload) },
        notBefore: payload.nbf ?? 0,
        expires: payload.exp ?? 0,
      };
    } catch (error) {
      if (KEY_ERRORS.some((type) => error instanceof type)) throw this.keysUnreachable(error);
      return { ok: false, reason: 'token-refused', detail: describeRefusal(error) };
    }
  }

  private keysUnreachable(err: unknown): ProblemException {
    this.log.error({ err }, 'signing keys cannot be fetched');
    const reason: ReasonOf<503> = 'tokens-cannot-be-checked';
    const detail = 'Access tokens cannot be checked at the moment: retry later.';
    return new ProblemException(503, 'Service unavailable', detail, { reason });
  }
}

/** Errors after which no verdict on a token is possible. */
const KEY_ERRORS = [KeysUnreachableError, errors.JWKSTimeout, errors.JWKSInvalid];

/** RFC 7519 §4.1.4 and §4.1.5, with the tolerance of the first verification. */
function isValidAt({ notBefore, expires }: VerifiedToken, now: Date): boolean {
  const seconds = now.getTime() / 1000;
  return notBefore <= seconds + CLOCK_TOLERANCE_SECONDS && seconds - CLOCK_TOLERANCE_SECONDS < expires;
}

function getScope({ scope }: JWTPayload): string {
  return typeof scope === 'string' ? scope : '';
}

/**
 * The thumbprint of the certificate that a token is bound to (RFC 8705 §3.1).
 * Another confirmation (RFC 7800 §3.1) gives an empty one, so that such a token is not accepted as unbound.
 */
function boundTo({ cnf }: JWTPayload): { boundTo?: string } {
  if (cnf === undefined) return {};
  const isObject = typeof cnf === 'object' && cnf !== null;
  return { boundTo: isObject && 'x5t#S256' in cnf ? String(cnf['x5t#S256']) : '' };
}

function describeRefusal(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The access token is not for this service: its ${error.claim} is not the expected one.`;
  }
  return 'The access token is not one that the token service signed.';
}

const checkTimes = new WeakMap<IncomingMessage, Date>();

/** Overrides the time at which the lifetime of the request's token is checked: an injected clock skew. */
export function setTokenCheckTime(request: IncomingMessage, time: Date): void {
  checkTimes.set(request, time);
}

/** The time at which the lifetime of the request's token is checked; undefined for now. */
export function tokenCheckTime(request: IncomingMessage): Date | undefined {
  return checkTimes.get(request);
}
