import { ROLE_DECISION_TYPE, roleDecision, type RoleDecision } from '@ssb/bus';
import { isDid, parseDid, sameIdentity, verifyJws, type Did } from '@ssb/identity';
import { BusError } from '../errors/bus-error.js';
import { isOfBus, isRoleName } from '../channels/names.js';
import type { Settings } from '../settings.js';

/**
 * Verifies a compact JWS (RFC 7515 §7.1, ES256K) whose payload names its signer in `iss`, a DID. Says who signed what; whether that
 * signer is to be believed, the kind of token (`typ`) and the times are the caller's to judge.
 */
export function verifyIssued(token: string) {
  const claims = parseObject(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const issuer = claims && didOrNothing(claims['iss']);
  if (!claims || !issuer) return { ok: false, reason: 'no-issuer' } as const;
  const verdict = verifyJws(token, issuer);
  return verdict.ok ? { ...verdict, issuer, claims } : verdict;
}

function didOrNothing(value: unknown): Did | undefined {
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
  const did = didOrNothing(parsed.data.did);
  if (!did) throw decisionRefused('BUS::INVALID_REQUEST', 'subject-is-not-a-did');
  if (!isOfBus(did, settings.DID_METHOD)) {
    throw decisionRefused('BUS::INVALID_REQUEST', 'subject-of-another-method');
  }
  return { ...parsed.data, did };
}

export function decisionRefused(code: 'BUS::INVALID_REQUEST' | 'BUS::FORBIDDEN', reason: string): BusError {
  return new BusError(code, 'The decision is not accepted.', { reason });
}
