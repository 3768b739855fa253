import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { parseScopes } from '../domain/scope.js';
import type { TokenVerdict } from '../domain/access.js';
import { KeysUnreachableError } from './keys.js';

/** Signatures by a private key only: a shared secret would make every reader an issuer (RFC 8725 §3.1). */
const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'];
const CLOCK_TOLERANCE_SECONDS = 5;

/** Checks access tokens as RFC 9068 §4 asks: type, signature, issuer, audience, lifetime. */
export class TokenVerifier {
  constructor(
    private readonly keys: JWTVerifyGetKey,
    private readonly issuer: string,
    private readonly audience: string,
  ) {}

  /**
   * @param authorization the Authorization header as it came
   * @throws KeysUnreachableError when no verdict is possible
   */
  async verify(authorization: string | undefined): Promise<TokenVerdict> {
    const [, token] = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '') ?? [];
    if (token === undefined) {
      return {
        ok: false,
        reason: 'token-missing',
        detail: 'The header Authorization: Bearer <ACCESS_TOKEN> is needed.',
      };
    }
    try {
      const { payload } = await jwtVerify(token, this.keys, {
        issuer: this.issuer,
        audience: this.audience,
        algorithms: ALGORITHMS,
        typ: 'at+jwt',
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
      });
      return { ok: true, scopes: parseScopes(scopeOf(payload)), ...boundTo(payload) };
    } catch (error) {
      if (error instanceof KeysUnreachableError) throw error;
      if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) {
        throw new KeysUnreachableError('the token service', error);
      }
      return { ok: false, reason: 'token-refused', detail: whyRefused(error) };
    }
  }
}

function scopeOf({ scope }: JWTPayload): string {
  return typeof scope === 'string' ? scope : '';
}

/** The certificate that a token is bound to, if it is (RFC 8705 §3.1). */
function boundTo({ cnf }: JWTPayload): { boundTo?: string } {
  if (typeof cnf !== 'object' || cnf === null || !('x5t#S256' in cnf)) return {};
  return { boundTo: String(cnf['x5t#S256']) };
}

function whyRefused(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The access token is not for this service: its ${error.claim} is not what is expected here.`;
  }
  return 'The access token is not one that the token service signed.';
}
