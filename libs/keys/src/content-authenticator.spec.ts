import { createHmac } from 'node:crypto';
import { readAuthenticatedText, toAuthenticatedText } from './authenticated-text.js';
import { ContentAuthenticator } from './content-authenticator.js';
import { KeyRing } from './domain/key-ring.js';

const keyOf = (version: number) => ({
  version,
  activeFrom: new Date(version),
  secret: String(version).repeat(32),
});

/** Keys whose next version appears at a refresh. */
class Keys {
  refreshes = 0;
  constructor(
    private ring: KeyRing,
    private readonly next = ring,
  ) {}

  current(): KeyRing {
    return this.ring;
  }

  refresh(): Promise<void> {
    this.refreshes += 1;
    this.ring = this.next;
    return Promise.resolve();
  }
}

const [FIRST, BOTH, SECOND] = [[keyOf(1)], [keyOf(1), keyOf(2)], [keyOf(2)]].map(
  (keys) => new KeyRing(keys),
) as [KeyRing, KeyRing, KeyRing];
const authenticator = (keys = new Keys(FIRST), purpose = 'spec') => new ContentAuthenticator(keys, purpose);
const hmac = (key: Buffer | string, ...parts: (Buffer | string)[]): Buffer => {
  const digest = createHmac('sha256', key);
  for (const part of parts) digest.update(part);
  return digest.digest();
};

it('makes the HMAC-SHA-256 of length, context and content with a key that HKDF derives', () => {
  // RFC 5869 in two steps: extract without a salt, then the first block of expand.
  const extracted = hmac(Buffer.alloc(32), keyOf(1).secret);
  const derived = hmac(extracted, 'settlement-bus-bridge spec', Buffer.from([1]));
  const expected = hmac(derived, '5:ké y', 'cöntent').toString('base64url');
  expect(authenticator().authenticate('ké y', 'cöntent')).toBe(`v1:${expected}`);
});

it('verifies no code after one bit of code, content or context changed', async () => {
  const code = authenticator().authenticate('key', 'content');
  expect(await authenticator().verify('key', 'content', code)).toEqual({ ok: true, outdated: false });
  const flip = (text: string, index: number): string =>
    text.slice(0, index) + String.fromCharCode(text.charCodeAt(index) ^ 1) + text.slice(index + 1);
  const isValid = async (...given: [string, string, string]): Promise<boolean> =>
    (await authenticator().verify(...given)).ok;
  for (let index = 0; index < code.length; index += 1)
    expect([index, await isValid('key', 'content', flip(code, index))]).toEqual([index, false]);
  // The last character of base64url has two unused bits.
  for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
    expect(await isValid('key', 'content', code.slice(0, -1) + last)).toBe(code.endsWith(last));
  for (let index = 0; index < 7; index += 1)
    expect(await isValid('key', flip('content', index), code)).toBe(false);
  expect(await isValid('kex', 'content', code)).toBe(false);
  expect(await isValid('keyc', 'ontent', code)).toBe(false);
});

it('verifies no code of another purpose or key', async () => {
  const mismatch = { ok: false, reason: 'mismatch' };
  const otherPurpose = authenticator(new Keys(FIRST), 'spec2').authenticate('key', 'content');
  expect(await authenticator().verify('key', 'content', otherPurpose)).toEqual(mismatch);
  const otherKey = authenticator(new Keys(SECOND)).authenticate('key', 'content').replace('v2:', 'v1:');
  expect(await authenticator(new Keys(BOTH)).verify('key', 'content', otherKey)).toEqual(mismatch);
});

it('names what is wrong with a code', async () => {
  const reasonOf = async (code: unknown) => authenticator().verify('key', 'content', code);
  for (const code of [undefined, null])
    expect(await reasonOf(code)).toEqual({ ok: false, reason: 'missing' });
  for (const code of ['', 'v1:', 'v0:x', 7, {}, `v1:${'A'.repeat(44)}`, `v1:${'A'.repeat(43)}\n`])
    expect(await reasonOf(code)).toEqual({ ok: false, reason: 'malformed' });
});

it('reads the keys again for an unknown version, and only then', async () => {
  const code = authenticator(new Keys(BOTH)).authenticate('key', 'content');
  expect(code).toMatch(/^v2:/);
  const known = new Keys(BOTH);
  expect(await authenticator(known).verify('key', 'content', code)).toEqual({ ok: true, outdated: false });
  expect(known.refreshes).toBe(0);
  const late = new Keys(FIRST, BOTH);
  expect(await authenticator(late).verify('key', 'content', code)).toEqual({ ok: true, outdated: false });
  const never = new Keys(FIRST);
  expect(await authenticator(never).verify('key', 'content', code)).toEqual({
    ok: false,
    reason: 'unknown-version',
  });
  expect([late.refreshes, never.refreshes]).toEqual([1, 1]);
});

it('marks a code of a key that is no longer the active one', async () => {
  const code = authenticator().authenticate('key', 'content');
  const verify = (now: Date) => authenticator(new Keys(BOTH)).verify('key', 'content', code, now);
  expect(await verify(new Date(1))).toEqual({ ok: true, outdated: false });
  expect(await verify(new Date(2))).toEqual({ ok: true, outdated: true });
});

it('stores code and content in one text', async () => {
  const text = toAuthenticatedText(authenticator(), 'key', 'a b');
  expect(await readAuthenticatedText(authenticator(), 'key', text)).toEqual({
    ok: true,
    outdated: false,
    content: 'a b',
  });
  expect(await readAuthenticatedText(authenticator(), 'key', `${text} `)).toEqual({
    ok: false,
    reason: 'mismatch',
    content: '',
  });
  expect(await readAuthenticatedText(authenticator(), 'key', 'a')).toMatchObject({ reason: 'missing' });
});
