import { randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { SigningKey } from './signing-key.js';

export interface AccessTokenClaims {
  readonly issuer: string;
  readonly audience: string;
  readonly clientId: string;
  /** Granted scopes, space-separated. */
  readonly scope: string;
  readonly lifetimeSeconds: number;
  readonly now: Date;
  /** `x5t#S256` of the client certificate that the token is bound to (RFC 8705 §3.1); a bearer token when undefined. */
  readonly certificateThumbprint: string | undefined;
}

/** A JWT access token (RFC 9068). The client acts for itself, so it is the subject as well (§2.2). */
export function signAccessToken(claims: AccessTokenClaims, key: SigningKey): Promise<string> {
  const issuedAt = Math.floor(claims.now.getTime() / 1000);
  const { clientId, scope, certificateThumbprint: thumbprint } = claims;
  const confirmation = thumbprint === undefined ? {} : { cnf: { 'x5t#S256': thumbprint } };
  return new SignJWT({ client_id: clientId, scope, ...confirmation })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.keyId })
    .setIssuer(claims.issuer)
    .setSubject(clientId)
    .setAudience(claims.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + claims.lifetimeSeconds)
    .setJti(randomUUID())
    .sign(key.privateKey);
}
