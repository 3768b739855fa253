import { canonicalJson, didOfKey, generatePrivateKey, signDetachedJws } from '@ssb/identity';
import { hashMessage, keccak256, Signature, toUtf8Bytes, Wallet } from 'ethers';
import {
  CHANNEL,
  gateway,
  gatewayDid,
  origin,
  originDid,
  sealed,
  SIGNED_AT,
  signedMessage,
  type MessageWish,
} from '../../test/support/signed-messages.js';
import { REJECTION_REASONS, type RejectionReason } from './rejection-reasons.js';
import { verdictOn, type VerdictTerms } from './verify-message.js';

const TERMS: VerdictTerms = {
  scheme: 'eip191',
  trusted: { gateways: [gatewayDid], origins: [originDid] },
  freshness: { skewMs: 60_000, maxAgeMs: 300_000 },
};
const stranger = Wallet.createRandom();
const nanos = (ms: number) => BigInt(SIGNED_AT.getTime() + ms) * 1_000_000n;
const { s } = Signature.from(gateway.signingKey.sign(hashMessage('x')));

describe('a message that is right in every respect', () => {
  it('is believed, with the bridge that proved it', async () => {
    const message = await signedMessage();
    const verdict = verdictOn(message, TERMS);
    expect(verdict).toEqual({ ok: true, event: JSON.parse(message.payload) as unknown, signer: originDid });
  });

  it.each<[string, MessageWish, Partial<VerdictTerms['trusted']>]>([
    ['a sender in lower case', { outside: { sender: gatewayDid.toLowerCase() } }, {}],
    ['a sender with a network part', { outside: { sender: `did:ethr:volta:${gateway.address}` } }, {}],
    [
      'trusted DIDs in lower case',
      {},
      { gateways: [gatewayDid.toLowerCase()], origins: [originDid.toLowerCase()] },
    ],
    ['no transaction id', { outside: { transactionId: undefined } }, {}],
    [
      'no topic, sealed for the default one',
      { sealedFor: { topic: 'default' }, outside: { topic: undefined } },
      {},
    ],
    ['white space in the payload', { payload: (text) => JSON.stringify(JSON.parse(text), null, 2) }, {}],
    ['the last moment of its age', { outside: { timestampNanos: nanos(300_000) } }, {}],
    ['the first moment of the skew', { outside: { timestampNanos: nanos(-60_000) } }, {}],
  ])('so is one with %s', async (_, wish, trusted) => {
    const verdict = verdictOn(await signedMessage(wish), {
      ...TERMS,
      trusted: { ...TERMS.trusted, ...trusted },
    });
    expect(verdict).toMatchObject({ ok: true });
  });

  it('is believed under the other scheme when that is the setting', async () => {
    const { payload } = await signedMessage();
    const signature = gateway.signingKey.sign(keccak256(toUtf8Bytes(payload))).serialized;
    const message = await signedMessage({ outside: { signature } });
    expect(verdictOn(message, { ...TERMS, scheme: 'keccak256' })).toMatchObject({ ok: true });
    expect(verdictOn(message, TERMS)).toMatchObject({ reason: 'signer-mismatch' });
  });
});

const BROKEN: [string, MessageWish, RejectionReason][] = [
  [
    'a signature that is no hexadecimal',
    { outside: { signature: 'signed, the gateway' } },
    'signature-format',
  ],
  ['a signature a byte short', { outside: { signature: `0x${'11'.repeat(64)}` } }, 'signature-format'],
  ['a signature with an unknown v', { outside: { signature: `0x${'11'.repeat(64)}1d` } }, 'signature-format'],
  [
    'a signature that nobody can have made',
    { outside: { signature: `0x${'00'.repeat(65)}` } },
    'signature-format',
  ],
  ['a signature with a high s', { outside: { signature: highS(s) } }, 'signature-format'],
  ['the signature of another payload', { outside: { payload: '{}' } }, 'signer-mismatch'],
  [
    "somebody else's DID as sender",
    { outside: { sender: `did:ethr:${stranger.address}` } },
    'signer-mismatch',
  ],
  ['a sender that is no DID', { outside: { sender: gateway.address } }, 'signer-mismatch'],
  ['a gateway that is not trusted', { gateway: stranger }, 'sender-not-allowed'],
  ['a payload that is no JSON', { payload: (text) => text.slice(0, -1) }, 'not-an-event'],
  ['a payload that is no object', { payload: (text) => `[${text}]` }, 'not-an-event'],
  ['a name given twice', { payload: (text) => text.replace('{', '{"subject":"another",') }, 'not-an-event'],
  [
    'nesting without end',
    { payload: () => `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}` },
    'not-an-event',
  ],
  ['no proof', { forge: (event) => ({ ...event, proof: undefined }) }, 'origin-proof'],
  ['a proof that is none', { forge: (event) => ({ ...event, proof: 'believe me' }) }, 'origin-proof'],
  [
    'the proof of another event',
    { forge: (event) => ({ ...event, proof: sealed({ fact: { tradingMargin: '1' } })['proof'] }) },
    'origin-proof',
  ],
  [
    'a figure changed after the proof',
    { forge: ({ data, ...event }) => ({ ...event, data: { ...(data as object), tradingMargin: '0.00' } }) },
    'origin-proof',
  ],
  [
    'a field added after the proof',
    { forge: (event) => ({ ...event, note: 'all is well' }) },
    'origin-proof',
  ],
  ['a bridge that is not trusted', { origin: generatePrivateKey() }, 'origin-not-allowed'],
  ['a field that the schema refuses', { fact: { tradingMargin: 'plenty' } }, 'schema'],
  ['a seal of no calendar', { forge: () => resealed({ signedat: '2026-13-41T00:00:05.000Z' }) }, 'schema'],
  ['a NUL in its subject', { fact: { participant: 'WP\u0000GENCO' } }, 'schema'],
  [
    'a type that nobody knows',
    { forge: () => resealed({ type: 'settlementbus.margin.forgiven.v1' }) },
    'unknown-type',
  ],
  [
    'the seal of another channel',
    { sealedFor: { channel: CHANNEL.replace('prudential', 'settlement') } },
    'channel-mismatch',
  ],
  ['another topic outside', { outside: { topic: 'margin.restored.v1' } }, 'topic-mismatch'],
  ['no topic outside', { outside: { topic: undefined } }, 'topic-mismatch'],
  [
    'another id outside',
    { outside: { transactionId: 'f3a1c3de-0000-4000-8000-000000000000' } },
    'id-mismatch',
  ],
  ['an age over the limit', { outside: { timestampNanos: nanos(300_001) } }, 'stale'],
  ['a time before it was sealed', { outside: { timestampNanos: nanos(-60_001) } }, 'premature'],
];

describe('a message with one thing broken is not believed', () => {
  it.each(BROKEN)('%s', async (_, wish, reason) => {
    const verdict = verdictOn(await signedMessage(wish), TERMS);
    expect(verdict).toMatchObject({ ok: false, reason });
  });

  it('for every reason there is', () => {
    expect(new Set(BROKEN.map(([, , reason]) => reason))).toEqual(new Set(REJECTION_REASONS));
  });

  it('and only a message at the wrong time names the event that it may repeat', async () => {
    for (const [, wish] of BROKEN) {
      const message = await signedMessage(wish);
      const verdict = verdictOn(message, TERMS);
      if (verdict.ok) throw new Error('believed');
      const timing = verdict.reason === 'stale' || verdict.reason === 'premature';
      expect(verdict.unlessSeen).toBe(timing ? message.transactionId : undefined);
    }
  });

  it('and the reason never quotes the payload', async () => {
    for (const [, wish] of BROKEN) {
      const verdict = verdictOn(await signedMessage(wish), TERMS);
      expect(JSON.stringify(verdict)).not.toMatch(/1234567890123456789012|plenty/);
    }
  });
});

describe('where several things are broken, the first check decides', () => {
  const everythingAfter: MessageWish = {
    fact: { tradingMargin: 'plenty' },
    outside: { topic: 'x', timestampNanos: 0n },
  };

  it.each<[string, MessageWish, RejectionReason]>([
    [
      'the format of the signature before its sender',
      { gateway: stranger, outside: { signature: '0x', sender: 'x' } },
      'signature-format',
    ],
    [
      'the signer before trust in the sender',
      { gateway: stranger, outside: { sender: 'x' } },
      'signer-mismatch',
    ],
    [
      'trust in the sender before the proof',
      { ...everythingAfter, gateway: stranger, origin: generatePrivateKey() },
      'sender-not-allowed',
    ],
    [
      'the proof before the schema',
      { ...everythingAfter, forge: (event) => ({ ...event, note: 1 }) },
      'origin-proof',
    ],
    ['the schema before the place', everythingAfter, 'schema'],
    ['the place before the time', { outside: { topic: 'x', timestampNanos: 0n } }, 'topic-mismatch'],
  ])('%s', async (_, wish, reason) => {
    expect(verdictOn(await signedMessage(wish), TERMS)).toMatchObject({ reason });
  });

  it('nobody is trusted on a channel that the operator does not name', async () => {
    const trusted = { gateways: [], origins: [didOfKey(origin)] };
    expect(verdictOn(await signedMessage(), { ...TERMS, trusted })).toMatchObject({
      reason: 'sender-not-allowed',
    });
  });
});

/** An event that was changed and then proved by the trusted bridge all the same. */
function resealed(change: Record<string, unknown>): Record<string, unknown> {
  const event: Record<string, unknown> = { ...sealed(), ...change };
  delete event['proof'];
  return { ...event, proof: signDetachedJws(canonicalJson(event), origin) };
}

/** A valid r with n − s: the other form of a signature, which low-s forbids. */
function highS(low: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const high = (order - BigInt(low)).toString(16).padStart(64, '0');
  return `0x${gateway.signingKey.sign(hashMessage('x')).r.slice(2)}${high}1b`;
}
