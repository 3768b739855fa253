import type { RoleState } from '@ssb/bus';

export type Decision = 'approve' | 'reject' | 'revoke';

/** What is known of one identity's claim to one role. */
export interface RoleRecord {
  readonly did: string;
  readonly role: string;
  readonly state: RoleState;
  /** ISO 8601, UTC: when the state was reached. */
  readonly since: string;
  /** ISO 8601, UTC: when a claim that waits was last asked for. */
  readonly askedAt?: string;
  /** `iat` of the issuer's last decision, epoch seconds; 0 before the first. */
  readonly decidedAt: number;
  readonly decidedBy?: string;
  /** Ids of the decisions of that second: each is believed once. */
  readonly decisions?: readonly string[];
  /** The approval as the issuer signed it (compact JWS); there while the role is held. */
  readonly token?: string;
  /** What the subject has added to its DID document; gone with the role. */
  readonly published?: { readonly token: string; readonly issuer: string; readonly issuedAt: number };
}

/** A claim as issuers see it in a list. */
export type ListedClaim = Omit<RoleRecord, 'token' | 'published' | 'askedAt' | 'decisions'> & {
  readonly inDocument: boolean;
};

export function listedClaim(record: RoleRecord): ListedClaim {
  const { did, role, state, since, decidedAt, decidedBy, token, published } = record;
  const inDocument = token !== undefined && published?.token === token;
  return { did, role, state, since, decidedAt, ...(decidedBy !== undefined && { decidedBy }), inDocument };
}

/** So often at most a claim that is asked for again is written again. */
const ASKED_AGAIN_MS = 3_600_000;

/** A claim asks for a role that is not held; asking again changes nothing but how long it waits. */
export function claimRole(record: RoleRecord | undefined, did: string, role: string, now: Date): RoleRecord {
  if (record?.state === 'APPROVED') return record;
  if (record?.state === 'AWAITING_APPROVAL') {
    return isDue(record, now, ASKED_AGAIN_MS) ? { ...record, askedAt: now.toISOString() } : record;
  }
  return {
    did,
    role,
    state: 'AWAITING_APPROVAL',
    since: now.toISOString(),
    askedAt: now.toISOString(),
    ...decidedOn(record),
  };
}

/** Whether a claim has waited this long for a decision, since it was last asked for. */
export function isDue({ state, askedAt, since }: RoleRecord, now: Date, afterMs: number): boolean {
  return state === 'AWAITING_APPROVAL' && now.getTime() - Date.parse(askedAt ?? since) >= afterMs;
}

/**
 * A claim that waited too long: as if it had never been, unless an issuer had decided on the role before. When it had stays known, as an
 * older decision must not come back.
 */
export function expiredClaim(record: RoleRecord, now: Date): RoleRecord | undefined {
  const { did, role, decidedAt } = record;
  if (decidedAt === 0) return undefined;
  return { did, role, state: 'NO_CLAIM', since: now.toISOString(), ...decidedOn(record) };
}

/** What keeps an issuer's words from coming back. */
function decidedOn(record: RoleRecord | undefined): Pick<RoleRecord, 'decidedAt' | 'decisions'> {
  const { decidedAt = 0, decisions } = record ?? {};
  return { decidedAt, ...(decisions && { decisions }) };
}

/** Decisions on one role of one identity that may be signed within the same second. */
const MOST_IN_A_SECOND = 32;

export type DecisionOutcome =
  | { readonly ok: true; readonly record: RoleRecord }
  | { readonly ok: false; readonly reason: 'stale' | 'replayed' };

export interface IssuedDecision {
  readonly did: string;
  /** No two decisions share one. */
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
 * The issuer's word on a role. An approval counts with or without a claim (an issuer may approve ahead); a rejection ends a waiting claim
 * and leaves a role that is held; a revocation ends both. An older decision never undoes a newer one, whatever order they arrive in,
 * and none counts twice: what is believed and that it was are written as one.
 */
export function decideRole(
  record: RoleRecord | undefined,
  issued: IssuedDecision,
  now: Date,
): DecisionOutcome {
  if (record && issued.issuedAt < record.decidedAt) return { ok: false, reason: 'stale' };
  const decisions = record?.decidedAt === issued.issuedAt ? (record.decisions ?? []) : [];
  if (decisions.includes(issued.id)) return { ok: false, reason: 'replayed' };
  if (decisions.length >= MOST_IN_A_SECOND) return { ok: false, reason: 'stale' };
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
      decisions: [...decisions, issued.id],
      ...(state === 'APPROVED' && heldProof(record, issued)),
    },
  };
}

/** A new approval takes the place of the old one; a rejection of a role that is held leaves both as they are. */
function heldProof(
  record: RoleRecord | undefined,
  issued: IssuedDecision,
): Pick<RoleRecord, 'token' | 'published'> {
  const token = issued.decision === 'approve' ? issued.token : record?.token;
  return {
    ...(token !== undefined && { token }),
    ...(record?.published && { published: record.published }),
  };
}

/** Whether a token is the approval that stands: only then may the subject show it in its DID document. */
export function standsApproved(record: RoleRecord | undefined, token: string): record is RoleRecord {
  return record?.state === 'APPROVED' && record.token === token;
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
