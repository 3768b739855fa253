import { ROLE_STATES, type RoleClaim } from '@ssb/bus';
import { findTokensToAdd, toEnrolment } from './enrolment.service.js';

const ROLE = 'user.roles.bus.apps.test.iam.local';
const OTHER = 'messagebroker.roles.bus.apps.test.iam.local';
const approved: RoleClaim = { role: ROLE, state: 'APPROVED', token: 'word', inDocument: false };

describe('enrolment', () => {
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

  it('goes by the wanted role alone', () => {
    for (const state of ROLE_STATES) {
      expect(toEnrolment('did:ethr:0x1', ROLE, [{ role: OTHER, state }]).state.roles.user).toBe('NO_CLAIM');
    }
  });
});

describe('a claim is added to the DID document', () => {
  it('when it is approved and not there', () => {
    expect(findTokensToAdd(ROLE, [{ ...approved, role: OTHER }, approved])).toEqual(['word']);
  });

  it.each<[string, Partial<RoleClaim>]>([
    ['when it is there', { inDocument: true }],
    ['while it waits', { state: 'AWAITING_APPROVAL' }],
    ['when it is of another role', { role: OTHER }],
    ['when the broker gives no word of the issuer', { token: undefined }],
    ['when the broker knows no documents', { inDocument: undefined }],
  ])('but not %s', (_name, change) => {
    expect(findTokensToAdd(ROLE, [{ ...approved, ...change }])).toEqual([]);
  });
});
