import { randomUUID } from 'node:crypto';
import { didOfKey, signJws, type DidOptions, type PrivateKey } from '@ssb/identity';
import { ROLE_DECISION_TYPE, type RoleDecision } from './http-api.js';

const LIFETIME_SECONDS = 60;

export interface RoleIssuer {
  readonly key: PrivateKey;
  /** BROKER_AUDIENCE of the broker. */
  readonly audience: string;
  /** Form of the issuer's DID. */
  readonly form: DidOptions;
}

/** An issuer's decision as a compact JWS (ES256K), valid for a minute and one use. */
export function signRoleDecision(
  { key, audience, form }: RoleIssuer,
  decided: Pick<RoleDecision, 'did' | 'role' | 'decision'>,
): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims: RoleDecision = {
    iss: didOfKey(key, form),
    aud: audience,
    iat,
    exp: iat + LIFETIME_SECONDS,
    jti: randomUUID(),
    ...decided,
  };
  return signJws(JSON.stringify(claims), key, { typ: ROLE_DECISION_TYPE }, form);
}
