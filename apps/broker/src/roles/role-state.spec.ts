import type { RoleState } from '@ssb/bus';
import {
  claimRole,
  decideRole,
  expireClaim,
  isClaimDue,
  type Decision,
  type IssuedDecision,
  type RoleRecord,
} from './role-state.js';

const did = 'did:ethr:0xab';
const role = 'user.roles.b.apps.c.iam.d';
const now = new Date('2026-03-01T00:00:00Z');

function record(state: RoleState, decidedAt = 0): RoleRecord {
  return { did, role, state, since: '2026-01-01T00:00:00.000Z', decidedAt };
}

const issue = (decision: Decision, more: Partial<IssuedDecision> = {}): IssuedDecision => ({
  ...{ did, role, decision, issuer: 'did:ethr:0xcd', issuedAt: 10, token: 'now', id: 'now' },
  ...more,
});

describe('claiming a role', () => {
  it.each<[RoleState | undefined, RoleState, boolean]>([
    [undefined, 'AWAITING_APPROVAL', true],
    ['NO_CLAIM', 'AWAITING_APPROVAL', true],
    ['NOT_WANTED', 'AWAITING_APPROVAL', true],
    ['AWAITING_APPROVAL', 'AWAITING_APPROVAL', false],
    ['APPROVED', 'APPROVED', false],
  ])('from %s leads to %s', (before, after, changes) => {
    const held = before && { ...record(before, 7), requestedAt: now.toISOString() };
    const claimed = claimRole(held, did, role, now);
    expect(claimed.state).toBe(after);
    expect(claimed !== held).toBe(changes);
    expect(claimed.decidedAt).toBe(held ? 7 : 0);
  });
});

describe('an undecided claim', () => {
  const requested = (requestedAt: string): RoleRecord => ({ ...record('AWAITING_APPROVAL'), requestedAt });

  it.each([
    ['an hour ago is requested again', '2026-02-28T23:00:00Z', '2026-03-01T00:00:00.000Z'],
    ['a moment later than that is not', '2026-02-28T23:00:00.001Z', '2026-02-28T23:00:00.001Z'],
  ])('that was requested %s', (_, requestedAt, after) => {
    expect(claimRole(requested(requestedAt), did, role, now)).toEqual({
      ...requested(requestedAt),
      requestedAt: after,
    });
  });

  it.each<[RoleState, string | undefined, boolean]>([
    ['AWAITING_APPROVAL', '2026-02-28T23:59:59Z', true],
    ['AWAITING_APPROVAL', '2026-02-28T23:59:59.001Z', false],
    ['AWAITING_APPROVAL', undefined, true],
    ['APPROVED', undefined, false],
    ['NO_CLAIM', undefined, false],
  ])('is due a second after its last request: %s since %s: %s', (state, requestedAt, due) => {
    const waiting = { ...record(state), ...(requestedAt !== undefined && { requestedAt }) };
    expect(isClaimDue(waiting, now, 1_000)).toBe(due);
  });

  it('is removed at its expiry, unless its role was decided before', () => {
    expect(expireClaim(requested('2026-02-01T00:00:00Z'), now)).toBeUndefined();
    expect(expireClaim({ ...requested('2026-02-01T00:00:00Z'), decidedAt: 9 }, now)).toEqual({
      did,
      role,
      state: 'NO_CLAIM',
      since: now.toISOString(),
      decidedAt: 9,
    });
  });
});

describe("an issuer's decision", () => {
  it.each<[RoleState | undefined, Decision, RoleState]>([
    [undefined, 'approve', 'APPROVED'],
    ['AWAITING_APPROVAL', 'approve', 'APPROVED'],
    ['APPROVED', 'approve', 'APPROVED'],
    [undefined, 'reject', 'NO_CLAIM'],
    ['AWAITING_APPROVAL', 'reject', 'NO_CLAIM'],
    ['APPROVED', 'reject', 'APPROVED'],
    ['AWAITING_APPROVAL', 'revoke', 'NO_CLAIM'],
    ['APPROVED', 'revoke', 'NO_CLAIM'],
  ])('on %s: %s leads to %s', (before, decision, after) => {
    const outcome = decideRole(before && record(before), issue(decision), now);
    expect(outcome).toMatchObject({
      ok: true,
      record: { did, role, state: after, decidedAt: 10, decidedBy: 'did:ethr:0xcd' },
    });
  });

  it.each<[Decision, RoleRecord['token'], boolean]>([
    ['approve', 'now', true],
    ['reject', 'before', true],
    ['revoke', undefined, false],
  ])('to %s a held role leaves the approval %s, in the document: %s', (decision, token, shown) => {
    const published = { token: 'before', issuer: 'did:ethr:0xcd', issuedAt: 1 };
    const held = { ...record('APPROVED'), token: 'before', published };
    const outcome = decideRole(held, issue(decision), now);
    expect(outcome.ok && outcome.record.token).toBe(token);
    expect(outcome.ok && outcome.record.published).toEqual(shown ? published : undefined);
  });

  it.each([
    [9, { ok: false, reason: 'stale' }],
    [10, { ok: true }],
    [11, { ok: true }],
  ])('issued at %d, after one of 10', (issuedAt, outcome) => {
    expect(decideRole(record('NO_CLAIM', 10), issue('approve', { issuedAt }), now)).toMatchObject(outcome);
  });

  const after = (before: RoleRecord | undefined, ...ids: string[]): RoleRecord | undefined =>
    ids.reduce((held: RoleRecord | undefined, id) => {
      const outcome = decideRole(held, issue('approve', { id }), now);
      return outcome.ok ? outcome.record : held;
    }, before);

  it('counts once, also after another of the same second, a new claim and its expiry', () => {
    const replayed = { ok: false, reason: 'replayed' };
    const twice = after(undefined, 'a', 'b');
    const revoked = decideRole(twice, issue('revoke', { id: 'c' }), now);
    if (!revoked.ok) throw new Error('the revocation did not count');
    const claimed = claimRole(revoked.record, did, role, now);
    for (const held of [twice, revoked.record, claimed, expireClaim(claimed, now)]) {
      expect(decideRole(held, issue('approve', { id: 'a' }), now)).toEqual(replayed);
    }
    expect(decideRole(claimed, issue('approve', { id: 'd' }), now)).toMatchObject({ ok: true });
  });

  it('is remembered by the ids of its second, of which 32 count', () => {
    const full = after(undefined, ...Array.from({ length: 40 }, (_, index) => String(index)));
    expect(full?.decisions).toHaveLength(32);
    expect(decideRole(full, issue('approve', { id: 'one more' }), now)).toEqual({
      ok: false,
      reason: 'stale',
    });
    const later = decideRole(full, issue('approve', { issuedAt: 11, id: 'later' }), now);
    expect(later).toMatchObject({ ok: true, record: { decisions: ['later'] } });
  });
});
