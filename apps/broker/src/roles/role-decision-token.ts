import { ROLE_DECISION_TYPE, roleDecision, type RoleDecision } from '@ssb/bus';
import { isSameIdentity, type Did } from '@ssb/identity';
import { hasDidMethod, isRoleName } from '../channels/names.js';
import { BusError } from '../errors/bus-error.js';
import { toDid, verifySignedToken } from '../identity/signed-token.js';
import type { Settings } from '../settings.js';

export type DecisionSettings = Pick<Settings, 'ROLE_ISSUERS' | 'BROKER_AUDIENCE' | 'DID_METHOD'>;

/** A role decision whose signature and issuer are verified. The caller checks `iat` and `exp`. */
export interface VerifiedDecision extends RoleDecision {
  readonly did: Did;
}

/**
 * Verifies a role decision that a trusted issuer has signed for this broker.
 * @throws BusError BUS::INVALID_REQUEST (malformed, or an invalid signature), BUS::FORBIDDEN (an untrusted issuer, or another audience)
 */
export function verifyRoleDecision(token: string, settings: DecisionSettings): VerifiedDecision {
  const verdict = verifySignedToken(token);
  if (!verdict.ok) throw decisionError('BUS::INVALID_REQUEST', verdict.reason);
  if (verdict.header['typ'] !== ROLE_DECISION_TYPE) {
    throw decisionError('BUS::INVALID_REQUEST', 'wrong-type');
  }
  const parsed = roleDecision.safeParse(verdict.claims);
  if (!parsed.success || !isRoleName(parsed.data.role)) {
    throw decisionError('BUS::INVALID_REQUEST', 'malformed');
  }
  if (!settings.ROLE_ISSUERS.some((issuer) => isSameIdentity(issuer, verdict.issuer))) {
    throw decisionError('BUS::FORBIDDEN', 'not-an-issuer');
  }
  if (parsed.data.aud !== settings.BROKER_AUDIENCE) throw decisionError('BUS::FORBIDDEN', 'wrong-audience');
  const did = toDid(parsed.data.did);
  if (!did) throw decisionError('BUS::INVALID_REQUEST', 'subject-is-not-a-did');
  if (!hasDidMethod(did, settings.DID_METHOD)) {
    throw decisionError('BUS::INVALID_REQUEST', 'subject-of-another-method');
  }
  return { ...parsed.data, did };
}

export function decisionError(code: 'BUS::INVALID_REQUEST' | 'BUS::FORBIDDEN', reason: string): BusError {
  return new BusError(code, 'The role decision is not accepted.', { reason });
}
