import { didOfKey } from '../keys/did.js';
import { generatePrivateKey, parsePrivateKey } from '../keys/private-key.js';
import { signJws } from '../signatures/jws.js';
import { createIdentityToken, verifyIdentityToken } from './identity-token.js';

const KEY = parsePrivateKey('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
const DID = didOfKey(KEY);
const NOW = new Date('2026-03-02T00:00:00Z');
const NOW_SECONDS = NOW.getTime() / 1000;
const EXPECTED = { audience: 'broker', now: NOW };

const VALID_CLAIMS = {
  iss: DID as string,
  aud: 'broker' as unknown,
  iat: NOW_SECONDS as unknown,
  exp: (NOW_SECONDS + 60) as unknown,
  jti: '0123456789abcdef' as unknown,
};

describe('an identity token', () => {
  it('yields the DID of its signer, its jti and the time until which the jti must be stored', () => {
    const token = createIdentityToken({ key: KEY, audience: 'broker', now: NOW, claims: { role: 'x' } });
    const verdict = verifyIdentityToken(token, EXPECTED);
    expect(verdict).toMatchObject({
      ok: true,
      did: DID,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      claims: { iss: DID, aud: 'broker', iat: NOW_SECONDS, exp: NOW_SECONDS + 60, role: 'x' },
    });
    // A token could be replayed during the accepted clock skew of five seconds.
    expect(verdict).toMatchObject({ expiresAt: new Date('2026-03-02T00:01:05Z') });
  });

  it('has an issuer with the given DID method', () => {
    const form = { method: 'example' };
    const token = createIdentityToken({ key: KEY, form, audience: 'broker', now: NOW });
    expect(verifyIdentityToken(token, EXPECTED)).toMatchObject({ ok: true, did: didOfKey(KEY, form) });
  });

  it('has a new jti each time, and additional claims do not replace the standard claims', () => {
    const claims = { jti: 'same', iss: 'did:ethr:other', aud: 'other', exp: 0, iat: 0 };
    const make = (): string => createIdentityToken({ key: KEY, audience: 'broker', now: NOW, claims });
    const [first, second] = [make(), make()].map((token) => verifyIdentityToken(token, EXPECTED));
    expect([first?.ok, second?.ok]).toEqual([true, true]);
    expect(first).not.toMatchObject({ jti: second?.ok === true ? second.jti : '' });
  });

  it.each([0, -1, 61, 1.5, NaN, Infinity])('cannot have a lifetime of %s seconds', (lifetimeSeconds) => {
    expect(() => createIdentityToken({ key: KEY, audience: 'broker', now: NOW, lifetimeSeconds })).toThrow(
      RangeError,
    );
  });

  it.each([
    ['when it is new', {}, 0],
    ['in its last second', {}, 59],
    ['after its exp, within the clock skew', {}, 64.9],
    ['before its iat, within the clock skew', {}, -5],
    ['for a list with one audience', { aud: ['broker'] }, 0],
    ['at its nbf', { nbf: NOW_SECONDS }, 0],
    ['with fractional iat and exp', { iat: NOW_SECONDS + 0.5, exp: NOW_SECONDS + 1.5 }, 1],
  ])('is accepted %s', (_, change, elapsedSeconds) => {
    const token = signJws(JSON.stringify({ ...VALID_CLAIMS, ...change }), KEY);
    expect(verifyIdentityToken(token, expectedAfter(elapsedSeconds))).toMatchObject({ ok: true, did: DID });
  });

  it.each([
    ['for another audience', { aud: 'gateway' }, 0, 'wrong-audience'],
    ['without an audience', { aud: undefined }, 0, 'wrong-audience'],
    ['for several audiences', { aud: ['broker', 'gateway'] }, 0, 'wrong-audience'],
    ['after its exp and the clock skew', {}, 65, 'expired'],
    ['before its iat and the clock skew', {}, -5.1, 'not-yet-valid'],
    ['for an empty audience list', { aud: [] }, 0, 'wrong-audience'],
    ['before its nbf and the clock skew', { nbf: NOW_SECONDS + 5.1 }, 0, 'not-yet-valid'],
    ['when its nbf is a string', { nbf: String(NOW_SECONDS) }, 0, 'malformed'],
    ['when its lifetime is longer than a minute', { exp: NOW_SECONDS + 61 }, 0, 'lifetime-too-long'],
    ['when its exp is 1e308', { exp: 1e308 }, 0, 'lifetime-too-long'],
    [
      'when it was issued long ago and expires soon',
      { iat: NOW_SECONDS - 3600, exp: NOW_SECONDS + 30 },
      0,
      'lifetime-too-long',
    ],
    ['when its exp is before its iat', { exp: NOW_SECONDS - 1 }, 0, 'malformed'],
    ['when its exp is a string', { exp: String(NOW_SECONDS + 60) }, 0, 'malformed'],
    ['without an exp', { exp: undefined }, 0, 'malformed'],
    ['without an iat', { iat: undefined }, 0, 'malformed'],
    ['without a jti', { jti: undefined }, 0, 'missing-jti'],
    ['with an empty jti', { jti: '' }, 0, 'missing-jti'],
    ['with a jti that is too short', { jti: '1234567' }, 0, 'missing-jti'],
    ['with a jti that is too long', { jti: 'x'.repeat(101) }, 0, 'missing-jti'],
    ['with a jti that is a number', { jti: 12345678 }, 0, 'missing-jti'],
    ['with another issuer', { iss: didOfKey(generatePrivateKey()) }, 0, 'signature'],
    ['with an issuer that is not a DID', { iss: 'unknown' }, 0, 'malformed'],
    ['without an issuer', { iss: undefined }, 0, 'malformed'],
  ])('is refused %s', (_, change, elapsedSeconds, reason) => {
    const token = signJws(JSON.stringify({ ...VALID_CLAIMS, ...change }), KEY);
    expect(verifyIdentityToken(token, expectedAfter(elapsedSeconds))).toEqual({ ok: false, reason });
  });

  it.each([
    ['empty', ''],
    ['a string of two parts', 'a.b'],
    ['a JSON array', signJws('[]', KEY)],
    ['null', signJws('null', KEY)],
    ['not JSON', signJws('{', KEY)],
  ])('is malformed when it is %s', (_, token) => {
    expect(verifyIdentityToken(token, EXPECTED)).toEqual({ ok: false, reason: 'malformed' });
  });

  it.each(['JWT', 'jwt', undefined])('is accepted with the type %s', (typ) => {
    const token = signJws(JSON.stringify(VALID_CLAIMS), KEY, { typ });
    expect(verifyIdentityToken(token, EXPECTED)).toMatchObject({ ok: true });
  });

  it.each(['role-decision+jwt', 'at+jwt', '', 'JWS', null, 1, ['JWT']])(
    'is refused with the type %j',
    (typ) => {
      const token = signJws(JSON.stringify(VALID_CLAIMS), KEY, { typ });
      expect(verifyIdentityToken(token, EXPECTED)).toEqual({ ok: false, reason: 'wrong-type' });
    },
  );

  it('is refused with the algorithm none', () => {
    const [, body = '', signature = ''] = signJws(JSON.stringify(VALID_CLAIMS), KEY).split('.');
    const header = Buffer.from('{"alg":"none"}').toString('base64url');
    expect(verifyIdentityToken(`${header}.${body}.${signature}`, EXPECTED)).toEqual({
      ok: false,
      reason: 'wrong-algorithm',
    });
  });
});

function expectedAfter(seconds: number): { audience: string; now: Date } {
  return { audience: 'broker', now: new Date(NOW.getTime() + seconds * 1000) };
}
