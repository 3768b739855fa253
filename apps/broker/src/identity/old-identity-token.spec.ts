import { createHash } from 'node:crypto';
import { getBytes, keccak256, sha256, Signature, Wallet } from 'ethers';
import { verifyOldIdentityToken } from './old-identity-token.js';

const WALLET = new Wallet('0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318');
const DID = 'did:ethr:0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';
const OTHER_DID = 'did:ethr:0x37d37b10d1186aE41737D38b2dBC5C88316c9FBd';
const ORDER = BigInt('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141');

/** How the public gateway makes its token. Each test changes one step. */
const GATEWAY = {
  header: { alg: 'ES256', typ: 'JWT' } as object,
  // The last member has the characters that differ between the alphabets.
  claims: { iss: DID, claimData: { blockNumber: 999_999_999_999, text: '~~~???>>>' } } as object,
  encode: (text: string) => Buffer.from(text).toString('base64'),
  sign: (text: string) => WALLET.signMessageSync(hashOf(text)),
  change: (parts: readonly string[]): readonly (string | undefined)[] => parts,
};
type Steps = typeof GATEWAY;

/** eth_keys: no prefix, v 0 or 1. */
const PYTHON: Partial<Steps> = {
  encode: (text) => Buffer.from(text).toString('base64url'),
  sign: (text) => {
    const { r, s, yParity } = WALLET.signingKey.sign(hashOf(text));
    return `${r}${s.slice(2)}0${yParity}`;
  },
};

function tokenOf(change: Partial<Steps>): string {
  const { header, claims, encode, sign, change: changeParts } = { ...GATEWAY, ...change };
  const text = [header, claims].map((part) => encode(JSON.stringify(part))).join('.');
  return changeParts([...text.split('.'), encode(sign(text))]).join('.');
}

function hashOf(text: string): Uint8Array {
  return getBytes(keccak256(Buffer.from(text)));
}

function withClaims(claims: object): Partial<Steps> {
  return { claims: { ...GATEWAY.claims, ...claims } };
}

describe('a token of an older client', () => {
  it.each([
    [
      'the public gateway (ethers 6.17)',
      'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJkaWQ6ZXRocjoweDJjNzUzNkUzNjA1RDlDMTZhN2EzRDdiMTg5OGU1MjkzOTZhNjVjMjMiLCJjbGFpbURhdGEiOnsiYmxvY2tOdW1iZXIiOjk5OTk5OTk5OTk5OX19.MHgxMGI0NWUzNTQ1YzEwOWQwOTc2Yzc2OTE4MTVlNGE2NDZiZmE0ZmQxODJiMDViMjhkYmQ1MmRhOTE3MTc3M2UzMDhmNDgyZDc2MzM3NGFkYjBlYzUzZWE5NWRjZTA3OTY4NzIxMzMxN2ZjN2M2MjM4MmQ3YWZhN2M1ZWM0MTExNzFi',
    ],
    [
      'the Python client (eth_keys 0.8)',
      'eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJkaWQ6ZXRocjoweDJjNzUzNkUzNjA1RDlDMTZhN2EzRDdiMTg5OGU1MjkzOTZhNjVjMjMiLCJjbGFpbURhdGEiOnsiYmxvY2tOdW1iZXIiOjk5OTk5OTk5OTk5OX19.MHg0MTY1YWVmNWY3MzVjZDgyMGNlN2EyN2FiNTM2ZmQ5OWE3OWY5YTg2MThkYTQ0N2JhYzJiNGQwNGQ0YzNiNDc4NzYzZWQ4YTdjZjhkNWFkMzM0YzExMDAzMWQ5ODYzNTViN2FiN2I4MTlkNzlhNDM1OGUwMzUwNzFhNzJlNzdiZjAw',
    ],
  ])('is accepted as %s makes it', (_, token) => {
    expect(verifyOldIdentityToken(token, 'eip191')).toBe(DID);
  });

  it.each<[string, Partial<Steps>]>([
    ['from the gateway', {}],
    ['from the Python client', PYTHON],
    ['without 0x', { ...PYTHON, sign: (text) => (PYTHON.sign?.(text) ?? '').slice(2) }],
    ['in base64 without padding', { encode: (text) => GATEWAY.encode(text).replace(/=+$/, '') }],
    ['with one part in each alphabet', { encode: mixAlphabets() }],
    ['with other claim data', withClaims({ claimData: {} })],
    ['with its address in lower case', withClaims({ iss: DID.toLowerCase() })],
    ['with a network in its DID', withClaims({ iss: DID.replace('ethr:', 'ethr:volta:') })],
  ])('is accepted %s', (_, change) => {
    const { iss } = { ...GATEWAY, ...change }.claims as { iss: string };
    expect(verifyOldIdentityToken(tokenOf(change), 'eip191')).toBe(iss);
  });

  it.each<[string, Partial<Steps>]>([
    ['under another alg', { header: { alg: 'none', typ: 'JWT' } }],
    ['without typ', { header: { alg: 'ES256' } }],
    ['of another typ', { header: { alg: 'ES256', typ: 'role-decision+jwt' } }],
    ['with another header member', { header: { ...GATEWAY.header, crit: [] } }],
    ['with exp', withClaims({ exp: 9_999_999_999 })],
    ['with aud', withClaims({ aud: 'other' })],
    ['with a role', withClaims({ role: 'user' })],
    ['without claimData', withClaims({ claimData: undefined })],
    ['with claimData that is a list', withClaims({ claimData: [] })],
    ['without an issuer', withClaims({ iss: undefined })],
    ['of another issuer', withClaims({ iss: OTHER_DID })],
    ['with a wrong checksum', withClaims({ iss: DID.replace('2c7536E', '2C7536E') })],
    ['with an issuer that is not a DID', withClaims({ iss: WALLET.address })],
    ['signed with another key', { sign: (text) => Wallet.createRandom().signMessageSync(hashOf(text)) }],
    ['with the text signed, not its hash', { sign: (text) => WALLET.signMessageSync(text) }],
    ['with SHA-256', { sign: (text) => WALLET.signMessageSync(getBytes(sha256(Buffer.from(text)))) }],
    ['with high s', { sign: withHighS }],
    ['with v 29', { sign: (text) => `${GATEWAY.sign(text).slice(0, -2)}1d` }],
    ['with 64 bytes', { sign: (text) => GATEWAY.sign(text).slice(0, -2) }],
    ['with 0X', { sign: (text) => GATEWAY.sign(text).replace('0x', '0X') }],
    ['with the bytes of the signature', { change: ([head, body, last]) => [head, body, rawBytes(last)] }],
    [
      'with another payload',
      { change: ([head, , last]) => [head, encoded({ iss: DID, claimData: {} }), last] },
    ],
    ['with a payload that is not JSON', { change: ([head, , last]) => [head, 'e30x', last] }],
    ['with a line feed', { change: ([head, body, last]) => [head, body, `${last}\n`] }],
    ['without a signature', { change: ([head, body]) => [head, body] }],
    ['with a fourth part', { change: (parts) => [...parts, 'x'] }],
    ['that is empty', { change: () => [''] }],
  ])('is refused %s', (_, change) => {
    expect(verifyOldIdentityToken(tokenOf(change), 'eip191')).toBeUndefined();
  });

  describe('that a gateway could have signed as the payload of a message', () => {
    it('is refused where such payloads are signed without the prefix', () => {
      const verdicts = [tokenOf({}), tokenOf(PYTHON)].map((token) =>
        verifyOldIdentityToken(token, 'keccak256'),
      );
      expect(verdicts).toEqual([DID, undefined]);
    });

    it('is refused when the hash is a text', () => {
      // Found by counting: about one in a hundred million hashes is UTF-8.
      const token = (blockNumber: number) => tokenOf({ claims: { iss: DID, claimData: { blockNumber } } });
      const hash = hashOf(token(7_461_539).split('.').slice(0, 2).join('.'));
      const payload = new TextDecoder('utf-8', { fatal: true }).decode(hash);
      const [, , signature = ''] = token(7_461_539).split('.');
      expect(Buffer.from(signature, 'base64').toString()).toBe(WALLET.signMessageSync(payload));
      expect(verifyOldIdentityToken(token(7_461_539), 'eip191')).toBeUndefined();
      expect(verifyOldIdentityToken(token(7_461_540), 'eip191')).toBe(DID);
    });
  });
});

describe('a JWS without expiry', () => {
  const jws = (claims: object): string => {
    const input = [{ alg: 'ES256K', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const { r, s } = WALLET.signingKey.sign(createHash('sha256').update(input).digest());
    return `${input}.${Buffer.from(r.slice(2) + s.slice(2), 'hex').toString('base64url')}`;
  };

  it('is accepted, and refused with exp', () => {
    expect(verifyOldIdentityToken(jws({ iss: DID }), 'eip191')).toBe(DID);
    expect(verifyOldIdentityToken(jws({ iss: DID, exp: 9_999_999_999 }), 'eip191')).toBeUndefined();
  });
});

function encoded(value: object): string {
  return GATEWAY.encode(JSON.stringify(value));
}

function rawBytes(last = ''): string {
  const digits = Buffer.from(last, 'base64').toString().slice(2);
  return Buffer.from(digits, 'hex').toString('base64');
}

function withHighS(text: string): string {
  const { r, s, v } = Signature.from(GATEWAY.sign(text));
  const high = (ORDER - BigInt(s)).toString(16).padStart(64, '0');
  return `${r}${high}${v === 27 ? '1c' : '1b'}`;
}

/** Base64url for every second text. */
function mixAlphabets(): Steps['encode'] {
  let count = 0;
  return (text) => Buffer.from(text).toString((count += 1) % 2 === 0 ? 'base64url' : 'base64');
}
