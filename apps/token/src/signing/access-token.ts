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
}

/** A JWT access token (RFC 9068). The client acts for itself, so it is the subject as well (§2.2). */
export function signAccessToken(claims: AccessTokenClaims, key: SigningKey): Promise<string> {
  const issuedAt = Math.floor(claims.now.getTime() / 1000);
  return new SignJWT({ client_id: claims.clientId, scope: claims.scope })
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: key.keyId })
    .setIssuer(claims.issuer)
    .setSubject(claims.clientId)
    .setAudience(claims.audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + claims.lifetimeSeconds)
    .setJti(randomUUID())
    .sign(key.privateKey);
}
