import { didOfKey } from '../keys/did.js';
import { generatePrivateKey, parsePrivateKey } from '../keys/private-key.js';
import { signJws } from '../signatures/jws.js';
import { createIdentityToken, verifyIdentityToken } from './identity-token.js';

const KEY = parsePrivateKey('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
const DID = didOfKey(KEY);
const NOW = new Date('2026-03-02T00:00:00Z');
const SECONDS = NOW.getTime() / 1000;
const EXPECTED = { audience: 'broker', now: NOW };

const RIGHT = {
  iss: DID as string,
  aud: 'broker' as unknown,
  iat: SECONDS as unknown,
  exp: (SECONDS + 60) as unknown,
  jti: '0123456789abcdef' as unknown,
};

describe('an identity token', () => {
  it('gives its signer, its one-time id and the time until which the id must be stored', () => {
    const token = createIdentityToken({ key: KEY, audience: 'broker', now: NOW, claims: { role: 'x' } });
    const verdict = verifyIdentityToken(token, EXPECTED);
    expect(verdict).toMatchObject({
      ok: true,
      did: DID,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      claims: { iss: DID, aud: 'broker', iat: SECONDS, exp: SECONDS + 60, role: 'x' },
    });
    // A token could be repeated during the accepted clock skew of five seconds.
    expect(verdict).toMatchObject({ expiresAt: new Date('2026-03-02T00:01:05Z') });
  });

  it('names a DID with the given method', () => {
    const form = { method: 'example' };
    const token = createIdentityToken({ key: KEY, form, audience: 'broker', now: NOW });
    expect(verifyIdentityToken(token, EXPECTED)).toMatchObject({ ok: true, did: didOfKey(KEY, form) });
  });

  it('has a new one-time id each time, and additional claims do not replace the standard ones', () => {
    const claims = { jti: 'same', iss: 'did:ethr:other', aud: 'other', exp: 0, iat: 0 };
    const make = (): string => createIdentityToken({ key: KEY, audience: 'broker', now: NOW, claims });
    const [one, other] = [make(), make()].map((token) => verifyIdentityToken(token, EXPECTED));
    expect([one?.ok, other?.ok]).toEqual([true, true]);
    expect(one).not.toMatchObject({ jti: other?.ok === true ? other.jti : '' });
  });

  it.each([0, -1, 61, 1.5, NaN, Infinity])('cannot have a lifetime of %s seconds', (lifetimeSeconds) => {
    expect(() => createIdentityToken({ key: KEY, audience: 'broker', now: NOW, lifetimeSeconds })).toThrow(
      RangeError,
    );
  });

  it.each([
    ['when it is new', {}, 0],
    ['in its last second', {}, 59],
    ['at the limit of the clock skew, late', {}, 64.9],
    ['at the limit of the clock skew, early', {}, -5],
    ['for a list of one audience', { aud: ['broker'] }, 0],
    ['with an nbf that has passed', { nbf: SECONDS }, 0],
    ['with fractions of seconds', { iat: SECONDS + 0.5, exp: SECONDS + 1.5 }, 1],
  ])('is accepted %s', (_, change, secondsLater) => {
    const token = signJws(JSON.stringify({ ...RIGHT, ...change }), KEY);
    expect(verifyIdentityToken(token, later(secondsLater))).toMatchObject({ ok: true, did: DID });
  });

  it.each([
    ['for another audience', { aud: 'gateway' }, 0, 'wrong-audience'],
    ['for no audience', { aud: undefined }, 0, 'wrong-audience'],
    ['for several audiences', { aud: ['broker', 'gateway'] }, 0, 'wrong-audience'],
    ['after its end', {}, 65, 'expired'],
    ['before its beginning', {}, -5.1, 'not-yet-valid'],
    ['for a list of no audience', { aud: [] }, 0, 'wrong-audience'],
    ['before its nbf', { nbf: SECONDS + 5.1 }, 0, 'not-yet-valid'],
    ['when its nbf is a text', { nbf: String(SECONDS) }, 0, 'malformed'],
    ['when it lives longer than a minute', { exp: SECONDS + 61 }, 0, 'lifetime-too-long'],
    ['when it never ends', { exp: 1e308 }, 0, 'lifetime-too-long'],
    [
      'when it was made long ago and ends soon',
      { iat: SECONDS - 3600, exp: SECONDS + 30 },
      0,
      'lifetime-too-long',
    ],
    ['when it ends before it begins', { exp: SECONDS - 1 }, 0, 'malformed'],
    ['when its end is a text', { exp: String(SECONDS + 60) }, 0, 'malformed'],
    ['without an end', { exp: undefined }, 0, 'malformed'],
    ['without a beginning', { iat: undefined }, 0, 'malformed'],
    ['without a one-time id', { jti: undefined }, 0, 'missing-jti'],
    ['with an empty one-time id', { jti: '' }, 0, 'missing-jti'],
    ['with a one-time id that is too short', { jti: '1234567' }, 0, 'missing-jti'],
    ['with a one-time id that is too long', { jti: 'x'.repeat(101) }, 0, 'missing-jti'],
    ['with a one-time id that is a number', { jti: 12345678 }, 0, 'missing-jti'],
    ['with another issuer', { iss: didOfKey(generatePrivateKey()) }, 0, 'signature'],
    ['with an issuer that is not a DID', { iss: 'unknown' }, 0, 'malformed'],
    ['without an issuer', { iss: undefined }, 0, 'malformed'],
  ])('is refused %s', (_, change, secondsLater, reason) => {
    const token = signJws(JSON.stringify({ ...RIGHT, ...change }), KEY);
    expect(verifyIdentityToken(token, later(secondsLater))).toEqual({ ok: false, reason });
  });

  it.each([
    ['empty', ''],
    ['a text of two parts', 'a.b'],
    ['a list', signJws('[]', KEY)],
    ['null', signJws('null', KEY)],
    ['not JSON', signJws('{', KEY)],
  ])('is malformed when it is %s', (_, token) => {
    expect(verifyIdentityToken(token, EXPECTED)).toEqual({ ok: false, reason: 'malformed' });
  });

  it.each(['JWT', 'jwt', undefined])('is accepted with the type %s', (typ) => {
    const token = signJws(JSON.stringify(RIGHT), KEY, { typ });
    expect(verifyIdentityToken(token, EXPECTED)).toMatchObject({ ok: true });
  });

  it.each(['role-decision+jwt', 'at+jwt', '', 'JWS', null, 1, ['JWT']])(
    'is refused with the type %j',
    (typ) => {
      const token = signJws(JSON.stringify(RIGHT), KEY, { typ });
      expect(verifyIdentityToken(token, EXPECTED)).toEqual({ ok: false, reason: 'wrong-type' });
    },
  );

  it('is refused with the algorithm none', () => {
    const [, body = '', signature = ''] = signJws(JSON.stringify(RIGHT), KEY).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(verifyIdentityToken(`${none}.${body}.${signature}`, EXPECTED)).toEqual({
      ok: false,
      reason: 'wrong-algorithm',
    });
  });
});

function later(seconds: number): { audience: string; now: Date } {
  return { audience: 'broker', now: new Date(NOW.getTime() + seconds * 1000) };
}
