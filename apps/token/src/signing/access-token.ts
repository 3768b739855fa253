import { randomUUID, sign } from 'node:crypto';
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

/**
 * A JWT access token (RFC 9068). The client acts for itself, so it is the subject as well (§2.2).
 *
 * Signed at once on this thread: that takes less of it than handing one token to another thread does.
 */
export function signAccessToken(claims: AccessTokenClaims, { keyId, privateKey }: SigningKey): string {
  const issuedAt = Math.floor(claims.now.getTime() / 1000);
  const { issuer, audience, clientId, scope, certificateThumbprint: thumbprint } = claims;
  const header = { alg: 'ES256', typ: 'at+jwt', kid: keyId };
  const payload = {
    iss: issuer,
    sub: clientId,
    aud: audience,
    client_id: clientId,
    scope,
    iat: issuedAt,
    exp: issuedAt + claims.lifetimeSeconds,
    jti: randomUUID(),
    ...(thumbprint !== undefined && { cnf: { 'x5t#S256': thumbprint } }),
  };
  // RFC 7515 §7.1; RFC 7518 §3.4 wants the two numbers of the signature side by side, not in DER.
  const signed = `${encoded(header)}.${encoded(payload)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${signed}.${signature.toString('base64url')}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
