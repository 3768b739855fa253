import { createPublicKey, verify } from 'node:crypto';
import { didOfKey, generatePrivateKey, publicKeyOf, signDetachedJws } from '@ssb/identity';
import { sealEvent, verifyProof } from './proof.js';
import { marginChanged } from './types/margin.js';
import { altered, leaves } from './testing/json-places.js';
import { DETECTION, KEY, MARGIN, SEALED, SEALING } from './testing/sample-facts.js';

const ORIGIN = didOfKey(KEY);
const OTHER = generatePrivateKey();
const STATEMENT = SEALED['settlementbus.statement.published.v1'];

/** Of KEY, as ethers computes it. */
const ADDRESS = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23';

describe('sealEvent', () => {
  const detected = marginChanged(MARGIN, DETECTION);
  const sealing = { ...SEALING, topic: 'margin.warning.v1' };

  it('adds channel, topic, date and proof, and changes nothing', () => {
    const { proof, ...stated } = sealEvent(detected, sealing);
    expect(stated).toEqual({
      ...detected,
      channel: 'settlement.channels.bridge.apps.iam.local',
      topic: 'margin.warning.v1',
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

  it('makes a proof that Node verifies over the members in their order, without us', () => {
    const { proof, ...stated } = sealEvent(detected, sealing);
    const [header = '', , signature = ''] = proof.split('.');
    // No number and no name beyond ASCII in this event: sorting the names is all there is to RFC 8785.
    const payload = Buffer.from(sortedJson(stated)).toString('base64url');
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

  it('makes the same proof of the same statement', () => {
    expect(sealEvent(detected, sealing)).toEqual(sealEvent(detected, sealing));
  });

  it('seals anew for another channel, the old proof being no part of it', () => {
    const again = sealEvent(sealEvent(detected, sealing), { ...sealing, channel: 'other.channels.local' });
    expect(verifyProof({ ...again }, [ORIGIN])).toEqual({ ok: true, origin: ORIGIN });
  });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(sealEvent(detected, sealing))).toBe(true);
  });

  it('refuses a date that is none', () => {
    expect(() => sealEvent(detected, { ...sealing, signedAt: new Date('never') })).toThrow(RangeError);
  });
});

describe.each(Object.values(SEALED))('the proof of $type', (event) => {
  it('holds, before and after a round through JSON, in whatever order the members come', () => {
    const read = altered(event, [], (copy) => copy);
    const shuffled = Object.fromEntries(Object.entries(read).toReversed());
    for (const form of [{ ...event }, read, shuffled])
      expect(verifyProof(form, [ORIGIN])).toEqual({ ok: true, origin: ORIGIN });
  });

  it.each(leaves(event).filter((path) => path.join() !== 'proof'))('breaks with %s %s %s %s', (...path) => {
    const changed = altered(event, path, changeOne);
    const gone = altered(event, path, () => undefined);
    for (const form of [changed, gone])
      expect(verifyProof(form, [ORIGIN])).toEqual({ ok: false, reason: 'signature' });
  });

  it('breaks with a member more', () => {
    expect(verifyProof({ ...event, extra: '' }, [ORIGIN])).toEqual({ ok: false, reason: 'signature' });
  });
});

it('breaks with any byte of any text changed', () => {
  const paths = leaves(STATEMENT).filter((path) => path.join() !== 'proof');
  const survivors = paths.filter((path) => {
    const before = path.reduce<unknown>((value, key) => (value as never)[key], STATEMENT);
    if (typeof before !== 'string') return false;
    return Array.from(before, (_, at) => at).some((at) => {
      const changed = before.slice(0, at) + (before[at] === '0' ? '1' : '0') + before.slice(at + 1);
      return verifyProof(
        altered(STATEMENT, path, () => changed),
        [ORIGIN],
      ).ok;
    });
  });
  expect(survivors).toEqual([]);
});

describe('verifyProof', () => {
  const { proof, ...stated } = STATEMENT;
  const [header = '', , signature = ''] = proof.split('.');
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it.each([
    ['is not there', undefined, 'missing'],
    ['is null', null, 'missing'],
    ['is a number', 1, 'missing'],
    ['is an object', { proof }, 'missing'],
    ['is empty', '', 'malformed'],
    ['is no JWS', 'not a proof', 'malformed'],
    ['has a header that is no JSON', `bm9uZQ..${signature}`, 'malformed'],
    ['has a header that is no object', `${encoded(['ES256K'])}..${signature}`, 'malformed'],
    ['names nobody', `${encoded({ alg: 'ES256K' })}..${signature}`, 'malformed'],
    ['names a number', `${encoded({ alg: 'ES256K', kid: 1 })}..${signature}`, 'malformed'],
    ['has no signature', `${header}..`, 'malformed'],
    ['has a short signature', `${header}..${signature.slice(4)}`, 'malformed'],
    ['has a padded signature', `${header}..${signature}==`, 'malformed'],
    ['has its payload in it', `${header}.${encoded(stated)}.${signature}`, 'malformed'],
    ['has a part more', `${proof}.e30`, 'malformed'],
    ['has algorithm none', `${encoded({ alg: 'none', kid: ORIGIN })}..${signature}`, 'malformed'],
    ['has algorithm HS256', `${encoded({ alg: 'HS256', kid: ORIGIN })}..${signature}`, 'malformed'],
    ['has something critical', signDetachedJws('x', KEY, { crit: ['exp'], exp: 1 }), 'malformed'],
    ['names one that is not allowed', signDetachedJws('x', OTHER), 'origin-not-allowed'],
    ['names no DID', `${encoded({ alg: 'ES256K', kid: 'somebody' })}..${signature}`, 'origin-not-allowed'],
    ['is over something else', signDetachedJws('x', KEY), 'signature'],
    [
      'is by another key that names the allowed one',
      `${header}..${signDetachedJws('x', OTHER).split('.')[2]}`,
      'signature',
    ],
    ['has another header', `${encoded({ kid: ORIGIN, alg: 'ES256K' })}..${signature}`, 'signature'],
    ['is that of another event', SEALED['settlementbus.invoice.issued.v1'].proof, 'signature'],
  ])('refuses a proof that %s', (_, wrong, reason) => {
    expect(verifyProof({ ...stated, proof: wrong }, [ORIGIN])).toEqual({ ok: false, reason });
  });

  it('refuses every proof with one bit of its signature turned', () => {
    const bytes = Buffer.from(signature, 'base64url');
    const accepted = [...bytes.keys()].filter((at) => {
      const turned = Buffer.from(bytes);
      turned[at] = (turned[at] ?? 0) ^ (1 << (at % 8));
      return verifyProof({ ...stated, proof: `${header}..${turned.toString('base64url')}` }, [ORIGIN]).ok;
    });
    expect(accepted).toEqual([]);
  });

  it('refuses what nobody is allowed to state', () => {
    expect(verifyProof({ ...STATEMENT }, [])).toEqual({ ok: false, reason: 'origin-not-allowed' });
    expect(verifyProof({ ...STATEMENT }, [didOfKey(OTHER)])).toEqual({
      ok: false,
      reason: 'origin-not-allowed',
    });
  });

  it('finds the origin among the allowed, without case', () => {
    const written = `did:ethr:${ADDRESS.toLowerCase()}`;
    expect(verifyProof({ ...STATEMENT }, [didOfKey(OTHER), written])).toEqual({ ok: true, origin: written });
  });

  it.each([
    ['a lone surrogate', '\ud800'],
    ['a number that is none', NaN],
    ['a bigint', 1n],
  ])('answers, and does not throw, for an event with %s', (_, value) => {
    expect(verifyProof({ ...STATEMENT, subject: value }, [ORIGIN])).toEqual({
      ok: false,
      reason: 'malformed',
    });
  });
});

/** The nearest other value of the same kind. */
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
