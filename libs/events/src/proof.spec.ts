import { createPublicKey, verify } from 'node:crypto';
import { didOfKey, generatePrivateKey, publicKeyOf, signDetachedJws } from '@ssb/identity';
import { createFactEvent } from './event.js';
import { signEvent, verifyProof } from './proof.js';
import { leafPaths, withChange } from '../test/json-paths.js';
import { DETECTION, FACTS, KEY, PARTICIPANT, SIGNED_EVENTS, SIGNING_OPTIONS } from '../test/sample-events.js';

const ORIGIN = didOfKey(KEY);
const OTHER = generatePrivateKey();
const STATEMENT = SIGNED_EVENTS['settlementbus.statement.published.v1'];

/** The address of KEY as ethers computes it. */
const ADDRESS = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';

describe('signEvent', () => {
  const type = 'settlementbus.credit-support.short.v1';
  const detected = createFactEvent({ type, data: { ...FACTS[type], transition: 1 } }, PARTICIPANT, DETECTION);
  const options = { ...SIGNING_OPTIONS, topic: 'credit-support.short.v1' };

  it('adds channel, topic, time and proof and changes nothing else', () => {
    const signed = signEvent(detected, options);
    const { proof, ...unsigned } = signed;
    expect(signEvent(detected, options)).toEqual(signed);
    expect(Object.isFrozen(signed)).toBe(true);
    expect(unsigned).toEqual({
      ...detected,
      channel: 'settlement.channels.bridge.apps.participant.iam.market',
      topic: 'credit-support.short.v1',
      signedat: '2026-03-02T02:15:31.050Z',
    });
    const [header = '', payload, signature = ''] = proof.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'ES256K',
      kid: `did:ethr:${ADDRESS}`,
    });
    expect(payload).toBe('');
    expect(Buffer.from(signature, 'base64url')).toHaveLength(64);
  });

  it('makes a proof that Node verifies over the sorted members, without our code', () => {
    const { proof, ...unsigned } = signEvent(detected, options);
    const [header = '', , signature = ''] = proof.split('.');
    // This event has only ASCII names and small whole numbers, so sorting the names gives the RFC 8785 form.
    const payload = Buffer.from(sortedJson(unsigned)).toString('base64url');
    const point = Buffer.from(publicKeyOf(KEY).slice(4), 'hex');
    const key = createPublicKey({
      format: 'jwk',
      key: {
        kty: 'EC',
        crv: 'secp256k1',
        x: point.subarray(0, 32).toString('base64url'),
        y: point.subarray(32).toString('base64url'),
      },
    });
    const verdict = verify(
      'sha256',
      Buffer.from(`${header}.${payload}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    expect(verdict).toBe(true);
  });

  it('replaces the proof when the event is signed for another channel', () => {
    const again = signEvent(signEvent(detected, options), { ...options, channel: 'other.channels.local' });
    expect(verifyProof({ ...again }, [ORIGIN])).toMatchObject({ ok: true, origin: ORIGIN });
  });

  it('throws for an invalid date', () => {
    expect(() => signEvent(detected, { ...options, signedAt: new Date('never') })).toThrow(RangeError);
  });
});

it.each([STATEMENT, SIGNED_EVENTS['settlementbus.margin.breached.v1']])(
  'the proof of $type covers every member',
  (event) => {
    const read = withChange(event, [], (copy) => copy);
    const shuffled = Object.fromEntries(Object.entries(read).toReversed());
    for (const form of [{ ...event }, read, shuffled])
      expect(verifyProof(form, [ORIGIN])).toMatchObject({ ok: true, origin: ORIGIN });
    const paths = leafPaths(event).filter((path) => path.join() !== 'proof');
    const changed = [
      ...paths.map((path) => withChange(event, path, changeOne)),
      ...paths.map((path) => withChange(event, path, () => undefined)),
      { ...event, extra: '' },
    ];
    const verdicts = changed.map((form) => verifyProof(form, [ORIGIN]));
    expect(verdicts).toEqual(changed.map(() => ({ ok: false, reason: 'signature' })));
  },
);

describe('verifyProof', () => {
  const { proof, ...unsigned } = STATEMENT;
  const [header = '', , signature = ''] = proof.split('.');
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each([
    ['is missing', undefined, 'missing'],
    ['is a number', 1, 'missing'],
    ['is an object', { proof }, 'missing'],
    ['is empty', '', 'malformed'],
    ['is not a JWS', 'not a proof', 'malformed'],
    ['has a header that is not JSON', `bm9uZQ..${signature}`, 'malformed'],
    ['has a header that is not an object', `${encoded(['ES256K'])}..${signature}`, 'malformed'],
    ['names no signer', `${encoded({ alg: 'ES256K' })}..${signature}`, 'malformed'],
    ['names a number as its signer', `${encoded({ alg: 'ES256K', kid: 1 })}..${signature}`, 'malformed'],
    ['has no signature', `${header}..`, 'malformed'],
    ['contains its payload', `${header}.${encoded(unsigned)}.${signature}`, 'malformed'],
    ['has a fourth part', `${proof}.e30`, 'malformed'],
    ['has algorithm none', `${encoded({ alg: 'none', kid: ORIGIN })}..${signature}`, 'malformed'],
    ['has a critical header member', signDetachedJws('x', KEY, { crit: ['exp'], exp: 1 }), 'malformed'],
    ['signs another payload', signDetachedJws('x', KEY), 'signature'],
    [
      'was made with another key but names the allowed signer',
      `${header}..${signDetachedJws('x', OTHER).split('.')[2]}`,
      'signature',
    ],
    ['belongs to another event', SIGNED_EVENTS['settlementbus.invoice.issued.v1'].proof, 'signature'],
  ])('refuses a proof that %s', (_, wrong, reason) => {
    expect(verifyProof({ ...unsigned, proof: wrong }, [ORIGIN])).toEqual({ ok: false, reason });
  });

  it.each([
    ['is not allowed', signDetachedJws('x', OTHER), didOfKey(OTHER)],
    ['is not a DID', `${encoded({ alg: 'ES256K', kid: 'not a DID' })}..${signature}`, 'not a DID'],
  ])('says which signer a proof names that %s', (_, wrong, claimed) => {
    const refused = { ok: false, reason: 'origin-not-allowed', claimed };
    expect(verifyProof({ ...unsigned, proof: wrong }, [ORIGIN])).toEqual(refused);
  });

  it('refuses an origin that is not allowed', () => {
    const refused = { ok: false, reason: 'origin-not-allowed', claimed: ORIGIN };
    expect(verifyProof({ ...STATEMENT }, [])).toEqual(refused);
    expect(verifyProof({ ...STATEMENT }, [didOfKey(OTHER)])).toEqual(refused);
  });

  it('compares allowed origins without case', () => {
    const lowerCase = `did:ethr:${ADDRESS.toLowerCase()}`;
    expect(verifyProof({ ...STATEMENT }, [didOfKey(OTHER), lowerCase])).toMatchObject({
      ok: true,
      origin: lowerCase,
    });
  });

  it.each([
    ['a lone surrogate', '\ud800'],
    ['NaN', NaN],
    ['a bigint', 1n],
  ])('returns a verdict and does not throw for an event with %s', (_, value) => {
    expect(verifyProof({ ...STATEMENT, subject: value }, [ORIGIN])).toEqual({
      ok: false,
      reason: 'malformed',
    });
  });
});

/** Another value of the same type. */
function changeOne(before: unknown): unknown {
  if (typeof before === 'boolean') return !before;
  if (typeof before === 'number') return before + 1;
  const text = String(before);
  return `${text.slice(0, -1)}${text.endsWith('1') ? '2' : '1'}`;
}

function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${sortedJson(member)}`).join(',')}}`;
}
