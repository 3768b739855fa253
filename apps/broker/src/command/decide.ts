import { ROLE_DECISION_TYPE, type RoleDecision } from '@ssb/bus';
import { didOfKey, signJws, type Did, type PrivateKey } from '@ssb/identity';

/** Seconds that a decision may take to the broker. */
const LIFETIME_S = 60;

export interface DecisionRequest {
  readonly decision: RoleDecision['decision'];
  readonly did: Did;
  readonly role: string;
  /** The broker that it is meant for. */
  readonly audience: string;
}

/**
 * An issuer's decision as the broker wants it: a compact JWS (ES256K) of the type `role-decision+jwt`, good for a minute and one use.
 * @param id no two decisions of an issuer share one
 */
export function signDecision(key: PrivateKey, request: DecisionRequest, now: Date, id: string): string {
  const { decision, did, role, audience } = request;
  const iat = Math.floor(now.getTime() / 1000);
  const claims: RoleDecision = {
    iss: didOfKey(key),
    aud: audience,
    iat,
    exp: iat + LIFETIME_S,
    jti: id,
    did,
    role,
    decision,
  };
  return signJws(JSON.stringify(claims), key, { typ: ROLE_DECISION_TYPE });
}
