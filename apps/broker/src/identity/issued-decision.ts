import { ROLE_DECISION_TYPE, roleDecision, type RoleDecision } from '@ssb/bus';
import { parseDid, sameIdentity, type Did } from '@ssb/identity';
import { BusError } from '../bus-error.js';
import { isOfBus } from '../domain/bus-method.js';
import { isRoleName } from '../domain/names.js';
import type { Settings } from '../settings.js';
import { verifyIssued } from './issued-claims.js';

export type DecisionSettings = Pick<Settings, 'ROLE_ISSUERS' | 'BROKER_AUDIENCE' | 'DID_METHOD'>;

/** An issuer's decision on a role, its signature verified. Its times are the caller's to judge. */
export interface VerifiedDecision extends RoleDecision {
  readonly did: Did;
}

/**
 * Reads a role decision that a believed issuer has signed for this broker.
 * @throws BusError BUS::INVALID_REQUEST (no decision, or not signed by whom it names), BUS::FORBIDDEN (no issuer's, or for another broker)
 */
export function issuedDecision(token: string, settings: DecisionSettings): VerifiedDecision {
  const verdict = verifyIssued(token);
  if (!verdict.ok) throw decisionRefused('BUS::INVALID_REQUEST', verdict.reason);
  if (verdict.header['typ'] !== ROLE_DECISION_TYPE) {
    throw decisionRefused('BUS::INVALID_REQUEST', 'wrong-type');
  }
  const parsed = roleDecision.safeParse(verdict.claims);
  if (!parsed.success || !isRoleName(parsed.data.role)) {
    throw decisionRefused('BUS::INVALID_REQUEST', 'malformed');
  }
  if (!settings.ROLE_ISSUERS.some((each) => sameIdentity(each, verdict.issuer))) {
    throw decisionRefused('BUS::FORBIDDEN', 'not-an-issuer');
  }
  if (parsed.data.aud !== settings.BROKER_AUDIENCE) throw decisionRefused('BUS::FORBIDDEN', 'wrong-audience');
  const did = didOrRefuse(parsed.data.did);
  if (!isOfBus(did, settings.DID_METHOD)) {
    throw decisionRefused('BUS::INVALID_REQUEST', 'subject-of-another-method');
  }
  return { ...parsed.data, did };
}

export function decisionRefused(code: 'BUS::INVALID_REQUEST' | 'BUS::FORBIDDEN', reason: string): BusError {
  return new BusError(code, 'The decision is not accepted.', { reason });
}

function didOrRefuse(text: string): Did {
  try {
    return parseDid(text);
  } catch {
    throw decisionRefused('BUS::INVALID_REQUEST', 'subject-is-not-a-did');
  }
}
