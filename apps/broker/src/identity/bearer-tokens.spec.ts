import { createHmac, hkdfSync } from 'node:crypto';
import { parseDid } from '@ssb/identity';
import { BearerTokens } from './bearer-tokens.js';

const secret = Buffer.from('a secret of at least thirty-two bytes');
const did = parseDid('did:ethr:0x00000000000000000000000000000000000000ab');
const start = Date.parse('2026-01-01T00:00:00Z');
let now = start;
const tokens = new BearerTokens(secret, 60_000, () => new Date(now));

function forged(header: object, claims: object, key: Buffer): string {
  const input = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`;
}

const signing = Buffer.from(hkdfSync('sha256', secret, '', 'message-bus broker bearer token', 32));
const header = { alg: 'HS256', typ: 'at+jwt' };
const claims = {
  sub: did,
  iss: 'urn:message-bus:broker',
  aud: 'urn:message-bus:broker',
  exp: start / 1000 + 60,
};

describe('bearer tokens', () => {
  it('authenticate the DID that they were issued to, at every replica with the secret', async () => {
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

  it('are accepted when created independently in the same way', async () => {
    now = start;
    await expect(tokens.authenticate(`Bearer ${forged(header, claims, signing)}`)).resolves.toBe(did);
  });

  it.each<[string, string | undefined]>([
    ['nothing', undefined],
    ['another scheme', 'Basic YTpi'],
    ['no token', 'Bearer '],
    ['no JWT', 'Bearer abc'],
    ['another key', `Bearer ${forged(header, claims, Buffer.from('another'))}`],
    ['no signature', `Bearer ${forged({ ...header, alg: 'none' }, claims, signing)}`],
    ['another kind of token', `Bearer ${forged({ alg: 'HS256', typ: 'JWT' }, claims, signing)}`],
    ['another audience', `Bearer ${forged(header, { ...claims, aud: 'x' }, signing)}`],
    ['no expiry', `Bearer ${forged(header, { ...claims, exp: undefined }, signing)}`],
    ['no DID', `Bearer ${forged(header, { ...claims, sub: 'x' }, signing)}`],
  ])('are refused when there is %s', async (_, authorization) => {
    now = start;
    await expect(tokens.authenticate(authorization)).rejects.toMatchObject({ code: 'BUS::UNAUTHENTICATED' });
  });
});
