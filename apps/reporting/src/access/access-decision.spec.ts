import { decideAccess, type AccessQuestion } from './access-decision.js';
import { parseScopes } from './scope.js';

/** A caller with every right to what it asks; each case breaks one thing. */
const RIGHT: AccessQuestion = {
  caller: { ok: true, participant: 'WPGENCO', thumbprint: 'abc' },
  token: { ok: true, scopes: parseScopes('PRUDENTIAL|WPGENCO|R SETTLEMENT|WPGENCO|CR') },
  entity: 'SETTLEMENT',
  permission: 'R',
  requestedParticipant: undefined,
  onlyBoundTokens: false,
};

const holding = (scope: string, boundTo?: string): Partial<AccessQuestion> => ({
  token: { ok: true, scopes: parseScopes(scope), ...(boundTo !== undefined && { boundTo }) },
});

describe('decideAccess', () => {
  it.each<[string, Partial<AccessQuestion>]>([
    ['as it is', {}],
    ['naming its own participant', { requestedParticipant: 'WPGENCO' }],
    ['with a token bound to its certificate', holding('SETTLEMENT|WPGENCO|R', 'abc')],
    [
      'with a bound token where it must be bound',
      { ...holding('SETTLEMENT|WPGENCO|R', 'abc'), onlyBoundTokens: true },
    ],
    ['with permissions in another order', holding('SETTLEMENT|WPGENCO|DUR')],
  ])('lets the caller in %s', (_what, change) => {
    expect(decideAccess({ ...RIGHT, ...change })).toEqual({ allowed: true, participant: 'WPGENCO' });
  });

  it.each<[string, string, Partial<AccessQuestion>]>([
    [
      'who is nobody',
      'certificate-missing',
      { caller: { ok: false, reason: 'certificate-missing', detail: '' } },
    ],
    ['without a token', 'token-missing', { token: { ok: false, reason: 'token-missing', detail: '' } }],
    ['with a bad token', 'token-refused', { token: { ok: false, reason: 'token-refused', detail: '' } }],
    ['with a token bound elsewhere', 'token-of-another-certificate', holding('SETTLEMENT|WPGENCO|R', 'xyz')],
    [
      'with a token bound to something else',
      'token-of-another-certificate',
      holding('SETTLEMENT|WPGENCO|R', ''),
    ],
    ['with a free token where it must be bound', 'token-not-bound', { onlyBoundTokens: true }],
    ['naming another participant', 'other-participant', { requestedParticipant: 'OTHER' }],
    ['naming an empty participant', 'other-participant', { requestedParticipant: '' }],
    ['naming itself in another case', 'other-participant', { requestedParticipant: 'wpgenco' }],
    ['with a scope of another participant', 'scope-missing', holding('SETTLEMENT|OTHER|R')],
    ['with a scope of another entity', 'scope-missing', holding('PRUDENTIAL|WPGENCO|R')],
    ['with a scope that writes only', 'scope-missing', holding('SETTLEMENT|WPGENCO|CUD')],
    ['with no scope at all', 'scope-missing', holding('')],
  ])('refuses the caller %s: %s', (_what, reason, change) => {
    expect(decideAccess({ ...RIGHT, ...change })).toMatchObject({ allowed: false, reason });
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
  ])('takes no right from %s', (text) => {
    expect(parseScopes(text)).toEqual([]);
  });
});
