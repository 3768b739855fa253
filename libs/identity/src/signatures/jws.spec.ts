import { createHash, createPrivateKey, sign } from 'node:crypto';
import { recoverAddress, Signature, SigningKey } from 'ethers';
import { addressOfKey } from '../keys/address.js';
import { didOfKey } from '../keys/did.js';
import { generatePrivateKey, parsePrivateKey } from '../keys/private-key.js';
import { signDetachedJws, signJws, verifyDetachedJws, verifyJws } from './jws.js';

const KEY = parsePrivateKey('4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
const DID = didOfKey(KEY);
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');
const PAYLOAD = '{"a":"μέγα"}';

describe('a JWS', () => {
  it('follows RFC 7515 and RFC 8812, checked with ethers', () => {
    const [head = '', body = '', signature = ''] = signJws(PAYLOAD, KEY, { typ: 'JWT' }).split('.');
    expect(JSON.parse(text(head))).toEqual({ typ: 'JWT', alg: 'ES256K', kid: DID });
    expect(text(body)).toBe(PAYLOAD);
    const digest = `0x${createHash('sha256').update(`${head}.${body}`).digest('hex')}`;
    const rs = Buffer.from(signature, 'base64url').toString('hex');
    const signers = ['1b', '1c'].map((v) => recoverAddress(digest, `0x${rs}${v}`));
    expect(signers).toContain(addressOfKey(KEY));
  });

  it('made with ethers is verified', () => {
    expect(verifyJws(madeWithEthers({ alg: 'ES256K' }), DID)).toEqual({
      ok: true,
      header: { alg: 'ES256K' },
      payload: PAYLOAD,
    });
  });

  it('names its real signer and algorithm, whatever the given header says', () => {
    const jws = signJws(PAYLOAD, KEY, { alg: 'none', kid: didOfKey(generatePrivateKey()) });
    expect(verifyJws(jws, DID)).toMatchObject({ ok: true, header: { alg: 'ES256K', kid: DID } });
  });

  it('names its signer by a DID with the given method and network', () => {
    const options = { method: 'example', network: 'volta' };
    const jws = signJws(PAYLOAD, KEY, {}, options);
    expect(verifyJws(jws, didOfKey(KEY, options))).toMatchObject({
      ok: true,
      header: { kid: didOfKey(KEY, options) },
    });
  });

  // OpenSSL leaves s as it comes, as standard JOSE libraries do.
  it.each(['high', 'low'] as const)('of OpenSSL with %s s is verified', (wanted) => {
    const jws = madeWithOpenSsl(wanted);
    expect(verifyJws(jws, DID)).toEqual({ ok: true, header: { alg: 'ES256K' }, payload: PAYLOAD });
    expect(verifyJws(jws, didOfKey(generatePrivateKey()))).toEqual({ ok: false, reason: 'signature' });
  });

  it.each([ORDER - 1n, ORDER, ORDER + 1n])('with another s is refused: %s', (s) => {
    const [head = '', body = '', signature = ''] = madeWithEthers({ alg: 'ES256K' }).split('.');
    const r = Buffer.from(signature, 'base64url').subarray(0, 32);
    const changed = Buffer.concat([r, Buffer.from(s.toString(16), 'hex')]).toString('base64url');
    expect(verifyJws(`${head}.${body}.${changed}`, DID)).toEqual({ ok: false, reason: 'signature' });
  });

  it('is verified with its payload when detached, with low s alone', () => {
    const jws = signDetachedJws(PAYLOAD, KEY);
    expect(jws).toMatch(/^[\w-]+\.\.[\w-]{86}$/);
    expect(verifyDetachedJws(jws, PAYLOAD, DID)).toMatchObject({ ok: true, signer: DID });
    expect(verifyDetachedJws(jws, `${PAYLOAD} `, DID)).toEqual({ ok: false, reason: 'signature' });
    const verdicts = (['low', 'high'] as const).map((wanted) => {
      const [head = '', , signature = ''] = madeWithOpenSsl(wanted).split('.');
      return verifyDetachedJws(`${head}..${signature}`, PAYLOAD, DID).ok;
    });
    expect(verdicts).toEqual([true, false]);
  });
});

describe('a JWS is refused', () => {
  const right = signJws(PAYLOAD, KEY);
  const [head = '', body = '', signature = ''] = right.split('.');

  it.each([
    ['when it is empty', '', 'malformed'],
    ['of two parts', `${head}.${body}`, 'malformed'],
    ['of four parts', `${right}.${signature}`, 'malformed'],
    ['without a signature', `${head}.${body}.`, 'malformed'],
    ['without a payload', `${head}..${signature}`, 'malformed'],
    ['with a signature one byte too short', `${head}.${body}.${signature.slice(0, -2)}`, 'malformed'],
    ['with padding', `${right}==`, 'malformed'],
    ['with a line feed', `${right}\n`, 'malformed'],
    ['with base64 instead of base64url', `${head}.${body}.${'+'.repeat(86)}`, 'malformed'],
    ['with a header that is not JSON', `${base64url('{')}.${body}.${signature}`, 'malformed'],
    ['with a header that is a list', `${base64url('[]')}.${body}.${signature}`, 'malformed'],
    ['with a header that is null', `${base64url('null')}.${body}.${signature}`, 'malformed'],
    ['with another payload', `${head}.${base64url('{}')}.${signature}`, 'signature'],
    ['with another header', `${base64url('{"alg":"ES256K"}')}.${body}.${signature}`, 'signature'],
    ['under alg none', madeWithEthers({ alg: 'none' }), 'wrong-algorithm'],
    ['under ES256', madeWithEthers({ alg: 'ES256' }), 'wrong-algorithm'],
    ['without alg', madeWithEthers({}), 'wrong-algorithm'],
    [
      'with a critical extension',
      madeWithEthers({ alg: 'ES256K', crit: ['b64'], b64: false }),
      'wrong-algorithm',
    ],
    ['signed with another key', signJws(PAYLOAD, generatePrivateKey()), 'signature'],
  ])('%s', (_, jws, reason) => {
    expect(verifyJws(jws, DID)).toEqual({ ok: false, reason });
  });

  it('when its last character is another encoding of the same bytes', () => {
    // 64 bytes leave four bits of the 86th character unused.
    const last = signature.at(-1) ?? '';
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const twin = `${right.slice(0, -1)}${alphabet[alphabet.indexOf(last) + 1] ?? ''}`;
    expect(Buffer.from(twin.split('.')[2] ?? '', 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    expect(verifyJws(twin, DID)).toEqual({ ok: false, reason: 'malformed' });
  });

  it('when the DID is invalid', () => {
    expect(verifyJws(right, 'did:ethr:unknown')).toEqual({ ok: false, reason: 'malformed' });
  });

  it('when it has a payload in place of a detached JWS, or a fourth part', () => {
    expect(verifyDetachedJws(right, PAYLOAD, DID)).toEqual({ ok: false, reason: 'malformed' });
    expect(verifyDetachedJws(`${head}..${signature}.x`, PAYLOAD, DID)).toEqual({
      ok: false,
      reason: 'malformed',
    });
  });
});

function madeWithEthers(header: object): string {
  const input = `${base64url(JSON.stringify(header))}.${base64url(PAYLOAD)}`;
  const digest = createHash('sha256').update(input).digest();
  const { r, s } = Signature.from(new SigningKey(`0x${KEY.toHex()}`).sign(digest));
  return `${input}.${Buffer.from(r.slice(2) + s.slice(2), 'hex').toString('base64url')}`;
}

/** Signs with random nonces until s is high or low. */
function madeWithOpenSsl(wanted: 'high' | 'low'): string {
  const point = Buffer.from(KEY.publicKey);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((each) => each.toString('base64url'));
  const jwk = { kty: 'EC', crv: 'secp256k1', d: Buffer.from(KEY.bytes).toString('base64url'), x, y };
  const key = createPrivateKey({ key: jwk, format: 'jwk' });
  const input = `${base64url('{"alg":"ES256K"}')}.${base64url(PAYLOAD)}`;
  for (let attempt = 0; attempt < 1_000; attempt += 1) {
    const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
    const s = BigInt(`0x${signature.subarray(32).toString('hex')}`);
    if (s > ORDER / 2n === (wanted === 'high')) return `${input}.${signature.toString('base64url')}`;
  }
  throw new Error(`OpenSSL made no signature with ${wanted} s`);
}

function base64url(plain: string): string {
  return Buffer.from(plain, 'utf8').toString('base64url');
}

function text(encoded: string): string {
  return Buffer.from(encoded, 'base64url').toString('utf8');
}
