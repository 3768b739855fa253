import { describe, expect, it } from '@jest/globals';
import type { RoleState } from '@ssb/bus';
import { claimRole, decideRole, type Decision, type RoleRecord } from './role-state.js';

const did = 'did:ethr:0xab';
const role = 'user.roles.b.apps.c.iam.d';
const now = new Date('2026-03-01T00:00:00Z');

function record(state: RoleState, decidedAt = 0): RoleRecord {
  return { did, role, state, since: '2026-01-01T00:00:00.000Z', decidedAt };
}

describe('claiming a role', () => {
  it.each<[RoleState | undefined, RoleState, boolean]>([
    [undefined, 'AWAITING_APPROVAL', true],
    ['NO_CLAIM', 'AWAITING_APPROVAL', true],
    ['NOT_WANTED', 'AWAITING_APPROVAL', true],
    ['AWAITING_APPROVAL', 'AWAITING_APPROVAL', false],
    ['APPROVED', 'APPROVED', false],
  ])('from %s leads to %s', (before, after, changes) => {
    const held = before && record(before, 7);
    const claimed = claimRole(held, did, role, now);
    expect(claimed.state).toBe(after);
    expect(claimed !== held).toBe(changes);
    expect(claimed.decidedAt).toBe(held ? 7 : 0);
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
    const issued = { did, role, decision, issuer: 'did:ethr:0xcd', issuedAt: 10, token: 'now' };
    const outcome = decideRole(before && record(before), issued, now);
    expect(outcome).toMatchObject({
      ok: true,
      record: { did, role, state: after, decidedAt: 10, decidedBy: 'did:ethr:0xcd' },
    });
  });

  it.each<[Decision, RoleRecord['token'], boolean]>([
    ['approve', 'now', true],
    ['reject', 'before', true],
    ['revoke', undefined, false],
  ])('to %s a role that is held leaves the approval %s, in the document: %s', (decision, token, shown) => {
    const published = { token: 'before', issuer: 'did:ethr:0xcd', issuedAt: 1 };
    const held = { ...record('APPROVED'), token: 'before', published };
    const issued = { did, role, decision, issuer: 'did:ethr:0xcd', issuedAt: 10, token: 'now' };
    const outcome = decideRole(held, issued, now);
    expect(outcome.ok && outcome.record.token).toBe(token);
    expect(outcome.ok && outcome.record.published).toEqual(shown ? published : undefined);
  });

  it.each([
    [9, { ok: false, reason: 'stale' }],
    [10, { ok: true }],
    [11, { ok: true }],
  ])('issued at %d, after one of 10', (issuedAt, outcome) => {
    const issued = { did, role, decision: 'approve' as const, issuer: 'did:ethr:0xcd', issuedAt, token: 't' };
    expect(decideRole(record('NO_CLAIM', 10), issued, now)).toMatchObject(outcome);
  });
});
