import { ROLE_STATES, type RoleClaim } from '@ssb/bus';
import { findTokensToAdd, toEnrolment } from './enrolment.service.js';

const ROLE = 'user.roles.bus.apps.test.iam.local';
const OTHER = 'messagebroker.roles.bus.apps.test.iam.local';
const approved: RoleClaim = { role: ROLE, state: 'APPROVED', token: 'token', inDocument: false };

describe('the enrolment', () => {
  // Document 002, "Enrolment": ready is complete, waiting awaits the role issuer.
  it.each([
    ['NO_CLAIM', false, false],
    ['AWAITING_APPROVAL', false, true],
    ['APPROVED', true, false],
    ['NOT_WANTED', false, false],
  ] as const)('with %s is ready: %s, waiting: %s', (state, ready, waiting) => {
    expect(toEnrolment('did:ethr:0x1', ROLE, [{ role: ROLE, state }])).toEqual({
      did: 'did:ethr:0x1',
      state: { ready, waiting, roles: { user: state, messagebroker: 'NOT_WANTED' } },
    });
  });

  it('depends on the user role alone', () => {
    for (const state of ROLE_STATES) {
      expect(toEnrolment('did:ethr:0x1', ROLE, [{ role: OTHER, state }]).state.roles.user).toBe('NO_CLAIM');
    }
  });
});

describe('the token of a claim', () => {
  it('is added to the DID document when the claim is approved and not there', () => {
    expect(findTokensToAdd(ROLE, [{ ...approved, role: OTHER }, approved])).toEqual(['token']);
  });

  it.each<[string, Partial<RoleClaim>]>([
    ['when the claim is there', { inDocument: true }],
    ['while the claim waits', { state: 'AWAITING_APPROVAL' }],
    ['when the claim is of another role', { role: OTHER }],
    ['when the broker returns no token', { token: undefined }],
    ['when the broker has no DID documents', { inDocument: undefined }],
  ])('is not added %s', (_name, change) => {
    expect(findTokensToAdd(ROLE, [{ ...approved, ...change }])).toEqual([]);
  });
});
