import type { RoleState } from '@ssb/bus';

export type Decision = 'approve' | 'reject' | 'revoke';

/** What is known of one identity's claim to one role. */
export interface RoleRecord {
  readonly did: string;
  readonly role: string;
  readonly state: RoleState;
  /** ISO 8601, UTC: when the state was reached. */
  readonly since: string;
  /** `iat` of the issuer's last decision, epoch seconds; 0 before the first. */
  readonly decidedAt: number;
  readonly decidedBy?: string;
}

/** A claim asks for a role that is not held; asking again changes nothing. */
export function claimRole(record: RoleRecord | undefined, did: string, role: string, now: Date): RoleRecord {
  if (record && (record.state === 'APPROVED' || record.state === 'AWAITING_APPROVAL')) return record;
  return {
    did,
    role,
    state: 'AWAITING_APPROVAL',
    since: now.toISOString(),
    decidedAt: record?.decidedAt ?? 0,
  };
}

export type DecisionOutcome =
  { readonly ok: true; readonly record: RoleRecord } | { readonly ok: false; readonly reason: 'stale' };

export interface IssuedDecision {
  readonly did: string;
  readonly role: string;
  readonly decision: Decision;
  readonly issuer: string;
  /** Epoch seconds. */
  readonly issuedAt: number;
}

/**
 * The issuer's word on a role. An approval counts with or without a claim (an issuer may approve ahead); a rejection ends a waiting claim
 * and leaves a role that is held; a revocation ends both. An older decision never undoes a newer one, whatever order they arrive in.
 */
export function decideRole(
  record: RoleRecord | undefined,
  issued: IssuedDecision,
  now: Date,
): DecisionOutcome {
  if (record && issued.issuedAt < record.decidedAt) return { ok: false, reason: 'stale' };
  const before = record?.state ?? 'NO_CLAIM';
  const state = stateAfter(before, issued.decision);
  return {
    ok: true,
    record: {
      did: record?.did ?? issued.did,
      role: issued.role,
      state,
      since: state === before && record ? record.since : now.toISOString(),
      decidedAt: issued.issuedAt,
      decidedBy: issued.issuer,
    },
  };
}

function stateAfter(before: RoleState, decision: Decision): RoleState {
  switch (decision) {
    case 'approve':
      return 'APPROVED';
    case 'reject':
      return before === 'APPROVED' ? 'APPROVED' : 'NO_CLAIM';
    case 'revoke':
      return 'NO_CLAIM';
  }
}
