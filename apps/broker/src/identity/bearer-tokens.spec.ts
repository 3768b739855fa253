import { createHmac, hkdfSync } from 'node:crypto';
import { parseDid } from '@ssb/identity';
import { BearerTokens } from './bearer-tokens.js';

const secret = Buffer.from('a secret of at least thirty-two bytes');
const did = parseDid('did:ethr:0x00000000000000000000000000000000000000ab');
const start = Date.parse('2026-01-01T00:00:00Z');
let now = start;
const tokens = new BearerTokens(secret, 60_000, () => new Date(now));

function signToken(header: object, claims: object, key: Buffer): string {
  const input = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
}

const signingKey = Buffer.from(hkdfSync('sha256', secret, '', 'message-bus broker bearer token', 32));
const header = { alg: 'HS256', typ: 'at+jwt' };
const claims = {
  sub: did,
  iss: 'urn:message-bus:broker',
  aud: 'urn:message-bus:broker',
  exp: start / 1000 + 60,
};

describe('bearer tokens', () => {
  it('authenticate the DID that they were issued to, at every replica with the same secret', async () => {
    now = start;
    const token = await new BearerTokens(secret, 60_000, () => new Date(now)).issue(did);
    await expect(tokens.authenticate(`Bearer ${token}`)).resolves.toBe(did);
    await expect(tokens.authenticate(`bearer ${token}`)).resolves.toBe(did);
  });

  it('expire', async () => {
    now = start;
    const token = await tokens.issue(did);
    now = start + 59_000;
    await expect(tokens.authenticate(`Bearer ${token}`)).resolves.toBe(did);
    now = start + 61_000;
    await expect(tokens.authenticate(`Bearer ${token}`)).rejects.toMatchObject({
      code: 'BUS::UNAUTHENTICATED',
    });
  });

  it('are accepted when another implementation signs the same claims with the same key', async () => {
    now = start;
    await expect(tokens.authenticate(`Bearer ${signToken(header, claims, signingKey)}`)).resolves.toBe(did);
  });

  it.each<[string, string | undefined]>([
    ['no header', undefined],
    ['another scheme', 'Basic YTpi'],
    ['an empty token', 'Bearer '],
    ['a token that is not a JWT', 'Bearer abc'],
    ['another key', `Bearer ${signToken(header, claims, Buffer.from('another'))}`],
    ['no signature', `Bearer ${signToken({ ...header, alg: 'none' }, claims, signingKey)}`],
    ['another token type', `Bearer ${signToken({ alg: 'HS256', typ: 'JWT' }, claims, signingKey)}`],
    ['another audience', `Bearer ${signToken(header, { ...claims, aud: 'x' }, signingKey)}`],
    ['no expiry', `Bearer ${signToken(header, { ...claims, exp: undefined }, signingKey)}`],
    ['a subject that is not a DID', `Bearer ${signToken(header, { ...claims, sub: 'x' }, signingKey)}`],
  ])('are refused with %s', async (_, authorization) => {
    now = start;
    await expect(tokens.authenticate(authorization)).rejects.toMatchObject({ code: 'BUS::UNAUTHENTICATED' });
  });
});
