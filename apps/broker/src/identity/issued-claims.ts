import { parseDid, verifyJws, type Did, type JwsHeader } from '@ssb/identity';

export type IssuedVerdict =
  | {
      readonly ok: true;
      readonly issuer: Did;
      readonly header: JwsHeader;
      readonly claims: Readonly<Record<string, unknown>>;
    }
  | { readonly ok: false; readonly reason: string };

/**
 * Verifies a compact JWS (RFC 7515 §7.1, ES256K) whose payload names its signer in `iss`, a DID. Says who signed what; whether that
 * signer is to be believed, the kind of token (`typ`) and the times are the caller's to judge.
 */
export function verifyIssued(token: string): IssuedVerdict {
  const claims = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const issuer = claims && didOrNothing(claims['iss']);
  if (!claims || !issuer) return { ok: false, reason: 'no-issuer' };
  const verdict = verifyJws(token, issuer);
  return verdict.ok
    ? { ok: true, issuer, header: verdict.header, claims }
    : { ok: false, reason: verdict.reason };
}

function didOrNothing(value: unknown): Did | undefined {
  try {
    return typeof value === 'string' ? parseDid(value) : undefined;
  } catch {
    return undefined;
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
