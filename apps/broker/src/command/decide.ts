import { ROLE_DECISION_TYPE, type RoleDecision } from '@ssb/bus';
import { didOfKey, signJws, type Did } from '@ssb/identity';
import type { Issuer } from './broker-door.js';

/** Seconds that a decision may take to the broker. */
const LIFETIME_S = 60;

export interface DecisionRequest {
  readonly decision: RoleDecision['decision'];
  readonly did: Did;
  readonly role: string;
}

/**
 * An issuer's decision as the broker wants it: a compact JWS (ES256K) of the type `role-decision+jwt`, good for a minute and one use.
 * @param id no two decisions of an issuer share one
 */
export function signDecision(
  { key, audience, form }: Issuer,
  { decision, did, role }: DecisionRequest,
  now: Date,
  id: string,
): string {
  const iat = Math.floor(now.getTime() / 1000);
  const claims: RoleDecision = {
    iss: didOfKey(key, form),
    aud: audience,
    iat,
    exp: iat + LIFETIME_S,
    jti: id,
    did,
    role,
    decision,
  };
  return signJws(JSON.stringify(claims), key, { typ: ROLE_DECISION_TYPE }, form);
}
