import { isDid, parseDid, verifyJws, type Did } from '@ssb/identity';

/**
 * Verifies a compact JWS (RFC 7515 §7.1, ES256K) by the DID in its `iss` claim.
 * The caller decides whether it trusts the issuer, and checks the type (`typ`) and the times.
 */
export function verifySignedToken(token: string) {
  const claims = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const issuer = claims && toDid(claims['iss']);
  if (!claims || !issuer) return { ok: false, reason: 'no-issuer' } as const;
  const verdict = verifyJws(token, issuer);
  return verdict.ok ? { ...verdict, issuer, claims } : verdict;
}

/** Undefined for anything else than a DID. */
export function toDid(value: unknown): Did | undefined {
  return typeof value === 'string' && isDid(value) ? parseDid(value) : undefined;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
