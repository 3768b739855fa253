import { decideAccess, type AccessRequest } from './access-decision.js';
import { parseScopes } from './scope.js';

/** A request that is allowed. Each case breaks one thing. */
const ALLOWED: AccessRequest = {
  caller: { ok: true, participant: 'WPGENCO', thumbprint: 'abc' },
  token: { ok: true, scopes: parseScopes('PRUDENTIAL|WPGENCO|R SETTLEMENT|WPGENCO|CR') },
  entity: 'SETTLEMENT',
  permission: 'R',
  requestedParticipant: undefined,
  onlyBoundTokens: false,
};

const withToken = (scope: string, boundTo?: string): Partial<AccessRequest> => ({
  token: { ok: true, scopes: parseScopes(scope), ...(boundTo !== undefined && { boundTo }) },
});

describe('decideAccess', () => {
  it.each<[string, Partial<AccessRequest>]>([
    ['with a valid certificate and token', {}],
    ['naming its own participant', { requestedParticipant: 'WPGENCO' }],
    ['with a token bound to its certificate', withToken('SETTLEMENT|WPGENCO|R', 'abc')],
    [
      'with a bound token where tokens must be bound',
      { ...withToken('SETTLEMENT|WPGENCO|R', 'abc'), onlyBoundTokens: true },
    ],
    ['with permissions in another order', withToken('SETTLEMENT|WPGENCO|DUR')],
  ])('allows a caller %s', (_what, change) => {
    expect(decideAccess({ ...ALLOWED, ...change })).toEqual({ allowed: true, participant: 'WPGENCO' });
  });

  it.each<[string, string, Partial<AccessRequest>]>([
    [
      'without a certificate',
      'certificate-missing',
      { caller: { ok: false, reason: 'certificate-missing', detail: '' } },
    ],
    ['without a token', 'token-missing', { token: { ok: false, reason: 'token-missing', detail: '' } }],
    ['with a bad token', 'token-refused', { token: { ok: false, reason: 'token-refused', detail: '' } }],
    [
      'with a token bound to another certificate',
      'token-of-another-certificate',
      withToken('SETTLEMENT|WPGENCO|R', 'xyz'),
    ],
    [
      'with a token bound to something else',
      'token-of-another-certificate',
      withToken('SETTLEMENT|WPGENCO|R', ''),
    ],
    ['with an unbound token where tokens must be bound', 'token-not-bound', { onlyBoundTokens: true }],
    ['naming another participant', 'other-participant', { requestedParticipant: 'OTHER' }],
    ['naming an empty participant', 'other-participant', { requestedParticipant: '' }],
    ['naming itself in another case', 'other-participant', { requestedParticipant: 'wpgenco' }],
    ['with a scope of another participant', 'scope-missing', withToken('SETTLEMENT|OTHER|R')],
    ['with a scope of another entity', 'scope-missing', withToken('PRUDENTIAL|WPGENCO|R')],
    ['with a scope that writes only', 'scope-missing', withToken('SETTLEMENT|WPGENCO|CUD')],
    ['with no scope at all', 'scope-missing', withToken('')],
  ])('refuses a caller %s: %s', (_what, reason, change) => {
    expect(decideAccess({ ...ALLOWED, ...change })).toMatchObject({ allowed: false, reason });
  });
});

describe('parseScopes', () => {
  it.each([
    'SETTLEMENT',
    'SETTLEMENT|WPGENCO',
    'SETTLEMENT|WPGENCO|',
    'SETTLEMENT|WPGENCO|X',
    '|WPGENCO|R',
    'A|B|R|C',
  ])('reads no scope from %s', (text) => {
    expect(parseScopes(text)).toEqual([]);
  });
});
