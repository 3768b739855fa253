import type { RoleState } from '@ssb/bus';

export type Decision = 'approve' | 'reject' | 'revoke';

/** The state of one role of one identity. */
export interface RoleRecord {
  readonly did: string;
  readonly role: string;
  readonly state: RoleState;
  /** ISO 8601, UTC: when the state was reached. */
  readonly since: string;
  /** ISO 8601, UTC: when the claim was last requested. */
  readonly requestedAt?: string;
  /** `iat` of the issuer's last decision, epoch seconds; 0 before the first. */
  readonly decidedAt: number;
  readonly decidedBy?: string;
  /** Ids of the decisions issued at `decidedAt`, so that none is applied twice. */
  readonly decisions?: readonly string[];
  /** The approval as the issuer signed it (compact JWS); present while the role is held. */
  readonly token?: string;
  /** The approval that the subject added to its DID document; removed with the role. */
  readonly published?: { readonly token: string; readonly issuer: string; readonly issuedAt: number };
}

/** A claim in an issuer's list. */
export type ListedClaim = Omit<RoleRecord, 'token' | 'published' | 'requestedAt' | 'decisions'> & {
  readonly inDocument: boolean;
};

export function toListedClaim(record: RoleRecord): ListedClaim {
  const { did, role, state, since, decidedAt, decidedBy, token, published } = record;
  const inDocument = token !== undefined && published?.token === token;
  return { did, role, state, since, decidedAt, ...(decidedBy !== undefined && { decidedBy }), inDocument };
}

/** A repeated claim updates `requestedAt` at most this often. */
const REQUEST_UPDATE_INTERVAL_MS = 3_600_000;

/** Claims a role that is not held. A repeated claim only postpones the claim's expiry. */
export function claimRole(record: RoleRecord | undefined, did: string, role: string, now: Date): RoleRecord {
  if (record?.state === 'APPROVED') return record;
  if (record?.state === 'AWAITING_APPROVAL') {
    if (!isClaimDue(record, now, REQUEST_UPDATE_INTERVAL_MS)) return record;
    return { ...record, requestedAt: now.toISOString() };
  }
  return {
    did,
    role,
    state: 'AWAITING_APPROVAL',
    since: now.toISOString(),
    requestedAt: now.toISOString(),
    ...keepLastDecision(record),
  };
}

/** Whether the claim is undecided, and `afterMs` have passed since it was last requested. */
export function isClaimDue({ state, requestedAt, since }: RoleRecord, now: Date, afterMs: number): boolean {
  return state === 'AWAITING_APPROVAL' && now.getTime() - Date.parse(requestedAt ?? since) >= afterMs;
}

/**
 * Ends an undecided claim. A record with an earlier decision stays, so that no older decision can be replayed.
 * @returns undefined to remove the record
 */
export function expireClaim(record: RoleRecord, now: Date): RoleRecord | undefined {
  const { did, role, decidedAt } = record;
  if (decidedAt === 0) return undefined;
  return { did, role, state: 'NO_CLAIM', since: now.toISOString(), ...keepLastDecision(record) };
}

/** The fields that prevent the replay of a decision. */
function keepLastDecision(record: RoleRecord | undefined): Pick<RoleRecord, 'decidedAt' | 'decisions'> {
  const { decidedAt = 0, decisions } = record ?? {};
  return { decidedAt, ...(decisions && { decisions }) };
}

/** Limit for one role of one identity. */
const MAX_DECISIONS_PER_SECOND = 32;

export type DecisionOutcome =
  | { readonly ok: true; readonly record: RoleRecord }
  | { readonly ok: false; readonly reason: 'stale' | 'replayed' };

export interface IssuedDecision {
  readonly did: string;
  /** Unique. */
  readonly id: string;
  readonly role: string;
  readonly decision: Decision;
  readonly issuer: string;
  /** Epoch seconds. */
  readonly issuedAt: number;
  /** The decision as it was signed. */
  readonly token: string;
}

/**
 * Applies an issuer's decision. Each decision is applied once, and an older one never replaces a newer one.
 */
export function decideRole(
  record: RoleRecord | undefined,
  issued: IssuedDecision,
  now: Date,
): DecisionOutcome {
  if (record && issued.issuedAt < record.decidedAt) return { ok: false, reason: 'stale' };
  const decisions = record?.decidedAt === issued.issuedAt ? (record.decisions ?? []) : [];
  if (decisions.includes(issued.id)) return { ok: false, reason: 'replayed' };
  if (decisions.length >= MAX_DECISIONS_PER_SECOND) return { ok: false, reason: 'stale' };
  const before = record?.state ?? 'NO_CLAIM';
  const state = nextState(before, issued.decision);
  return {
    ok: true,
    record: {
      did: record?.did ?? issued.did,
      role: issued.role,
      state,
      since: state === before && record ? record.since : now.toISOString(),
      decidedAt: issued.issuedAt,
      decidedBy: issued.issuer,
      decisions: [...decisions, issued.id],
      ...(state === 'APPROVED' && keepApproval(record, issued)),
    },
  };
}

/** A new approval replaces the old one; the rejection of a held role keeps it. */
function keepApproval(
  record: RoleRecord | undefined,
  issued: IssuedDecision,
): Pick<RoleRecord, 'token' | 'published'> {
  const token = issued.decision === 'approve' ? issued.token : record?.token;
  return {
    ...(token !== undefined && { token }),
    ...(record?.published && { published: record.published }),
  };
}

/** Whether the token is the approval of the held role; only then may the subject add it to its DID document. */
export function isCurrentApproval(record: RoleRecord | undefined, token: string): record is RoleRecord {
  return record?.state === 'APPROVED' && record.token === token;
}

/** An approval needs no claim. A rejection ends a claim but not a held role; a revocation ends either. */
function nextState(before: RoleState, decision: Decision): RoleState {
  switch (decision) {
    case 'approve':
      return 'APPROVED';
    case 'reject':
      return before === 'APPROVED' ? 'APPROVED' : 'NO_CLAIM';
    case 'revoke':
      return 'NO_CLAIM';
  }
}
