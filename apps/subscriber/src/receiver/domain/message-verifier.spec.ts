import { createAlertClearedEvent, createAlertRaisedEvent } from '@ssb/events';
import { canonicalJson, generatePrivateKey, signDetachedJws } from '@ssb/identity';
import { hashMessage, keccak256, Signature, toUtf8Bytes, Wallet } from 'ethers';
import {
  CHANNEL,
  DETECTION,
  gateway,
  gatewayDid,
  origin,
  originDid,
  signedEvent,
  SIGNED_AT,
  signedMessage,
  type MessageOptions,
} from '@ssb/testing/signed-messages';
import { REJECTION_REASONS, type RejectionReason } from './rejection.js';
import { verifyBusMessage, type VerificationOptions } from './message-verifier.js';

const trusting = (did: string, ...participants: string[]) => ({ did, participants });
const ORIGIN = trusting(originDid, 'WPGENCO');
const OPTIONS: VerificationOptions = {
  scheme: 'eip191',
  trusted: { gateways: [gatewayDid], origins: [ORIGIN] },
  trustedAnywhere: { gateways: [gatewayDid], origins: [ORIGIN] },
  participants: ['WPGENCO', 'OTHER'].map((code) => ({
    code,
    margin: { warning: '2', breach: '1', hysteresis: '0' },
  })),
  clocks: { skewMs: 60_000, maxAgeMs: 300_000 },
};
const untrusted = Wallet.createRandom();
const nanos = (ms: number) => BigInt(SIGNED_AT.getTime() + ms) * 1_000_000n;
const { s } = Signature.from(gateway.signingKey.sign(hashMessage('x')));

describe('a valid message', () => {
  it('is verified, with the bridge that signed it', async () => {
    const message = await signedMessage();
    const verdict = verifyBusMessage(message, OPTIONS);
    expect(verdict).toEqual({
      ok: true,
      event: JSON.parse(message.payload) as unknown,
      origin: originDid,
      marks: [],
    });
  });

  it.each<[string, MessageOptions, Partial<VerificationOptions['trusted']>]>([
    ['a sender in lower case', { overrides: { sender: gatewayDid.toLowerCase() } }, {}],
    ['a sender with a network part', { overrides: { sender: `did:ethr:volta:${gateway.address}` } }, {}],
    [
      'trusted DIDs in lower case',
      {},
      { gateways: [gatewayDid.toLowerCase()], origins: [trusting(originDid.toLowerCase(), 'WPGENCO')] },
    ],
    ['no transaction id', { overrides: { transactionId: undefined } }, {}],
    ['any transaction id', { overrides: { transactionId: 'f3a1c3de-0000-4000-8000-000000000000' } }, {}],
    ['an alert about the whole bridge', { detected: bridgeAlert('*') }, {}],
    ['an alert about a participant', { detected: bridgeAlert('WPGENCO') }, {}],
    [
      'the end of an alert about a participant that the file does not name any more',
      { detected: bridgeAlert('FORMER', createAlertClearedEvent) },
      {},
    ],
    [
      'no topic, signed for the default one',
      { signedFor: { topic: 'default' }, overrides: { topic: undefined } },
      {},
    ],
    ['white space in the payload', { payload: (text) => JSON.stringify(JSON.parse(text), null, 2) }, {}],
    ['the maximum age', { overrides: { timestampNanos: nanos(300_000) } }, {}],
    ['the maximum skew', { overrides: { timestampNanos: nanos(-60_000) } }, {}],
  ])('is accepted with %s', async (_, options, trusted) => {
    const verdict = verifyBusMessage(await signedMessage(options), {
      ...OPTIONS,
      trusted: { ...OPTIONS.trusted, ...trusted },
    });
    expect(verdict).toMatchObject({ ok: true, marks: [] });
  });

  it.each([
    ['late when the bus appended it after the maximum age', 300_001, ['late']],
    ['clockSkew when the bus appended it before the signature', -60_001, ['clockSkew']],
  ])('is accepted and marked %s', async (_, ms, marks) => {
    const message = await signedMessage({ overrides: { timestampNanos: nanos(ms) } });
    expect(verifyBusMessage(message, OPTIONS)).toMatchObject({ ok: true, marks });
  });

  it('is accepted under the other scheme when that is the setting', async () => {
    const { payload } = await signedMessage();
    const signature = gateway.signingKey.sign(keccak256(toUtf8Bytes(payload))).serialized;
    const message = await signedMessage({ overrides: { signature } });
    expect(verifyBusMessage(message, { ...OPTIONS, scheme: 'keccak256' })).toMatchObject({ ok: true });
    expect(verifyBusMessage(message, OPTIONS)).toMatchObject({ reason: 'signer-mismatch' });
  });
});

const BROKEN: [string, MessageOptions, RejectionReason][] = [
  [
    'a signature that is not hexadecimal',
    { overrides: { signature: 'signed, the gateway' } },
    'signature-format',
  ],
  ['a signature a byte short', { overrides: { signature: `0x${'11'.repeat(64)}` } }, 'signature-format'],
  [
    'a signature with an unknown v',
    { overrides: { signature: `0x${'11'.repeat(64)}1d` } },
    'signature-format',
  ],
  [
    'a signature that recovers no signer',
    { overrides: { signature: `0x${'00'.repeat(65)}` } },
    'signature-format',
  ],
  ['a signature with a high s', { overrides: { signature: highS(s) } }, 'signature-format'],
  ['the signature of another payload', { overrides: { payload: '{}' } }, 'signer-mismatch'],
  [
    "another identity's DID as sender",
    { overrides: { sender: `did:ethr:${untrusted.address}` } },
    'signer-mismatch',
  ],
  ['a sender that is not a DID', { overrides: { sender: gateway.address } }, 'signer-mismatch'],
  ['a gateway that is not trusted', { gateway: untrusted }, 'sender-not-allowed'],
  ['a payload that is not JSON', { payload: (text) => text.slice(0, -1) }, 'not-an-event'],
  ['a payload that is not an object', { payload: (text) => `[${text}]` }, 'not-an-event'],
  ['a duplicate name', { payload: (text) => text.replace('{', '{"subject":"another",') }, 'not-an-event'],
  [
    'very deep nesting',
    { payload: () => `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}` },
    'not-an-event',
  ],
  ['no proof', { forge: (event) => ({ ...event, proof: undefined }) }, 'origin-proof'],
  ['a malformed proof', { forge: (event) => ({ ...event, proof: 'not a proof' }) }, 'origin-proof'],
  [
    'the proof of another event',
    { forge: (event) => ({ ...event, proof: signedEvent({ fact: { tradingMargin: '1' } })['proof'] }) },
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
  [
    'an invalid signing date',
    { forge: () => signedAgain({ signedat: '2026-13-41T00:00:05.000Z' }) },
    'schema',
  ],
  ['a NUL in its subject', { fact: { participant: 'WP\u0000GENCO' } }, 'schema'],
  [
    'an unknown type',
    { forge: () => signedAgain({ type: 'settlementbus.margin.unknown.v1' }) },
    'unknown-type',
  ],
  [
    "another participant's id",
    { forge: () => signedAgain({ id: signedEvent({ fact: { participant: 'OTHER' } })['id'] }) },
    'schema',
  ],
  ["another participant's subject", { forge: () => signedAgain({ subject: 'OTHER/prudential' }) }, 'schema'],
  [
    "another participant's source",
    { forge: () => signedAgain({ source: 'urn:settlement-bus-bridge:OTHER' }) },
    'schema',
  ],
  [
    'a participant that its bridge may not state facts about',
    { fact: { participant: 'OTHER' } },
    'participant-not-allowed',
  ],
  ['a fact about all participants', { fact: { participant: '*' } }, 'participant-not-allowed'],
  [
    'an alert about a participant that its bridge may not state facts about',
    { detected: bridgeAlert('OTHER') },
    'participant-not-allowed',
  ],
  [
    'the end of an alert about a participant that its bridge may not state facts about',
    { detected: bridgeAlert('OTHER', createAlertClearedEvent) },
    'participant-not-allowed',
  ],
  [
    'an alert about a participant that the file does not name',
    { detected: bridgeAlert('FORMER') },
    'participant-not-allowed',
  ],
  [
    'the end of such an alert that another bridge signed',
    { detected: bridgeAlert('FORMER', createAlertClearedEvent), origin: generatePrivateKey() },
    'origin-not-allowed',
  ],
  [
    'a signature for another channel',
    { signedFor: { channel: CHANNEL.replace('prudential', 'settlement') } },
    'channel-mismatch',
  ],
  ['another topic in the message', { overrides: { topic: 'margin.restored.v1' } }, 'topic-mismatch'],
  ['no topic in the message', { overrides: { topic: undefined } }, 'topic-mismatch'],
];

describe('a message with one defect is rejected, and the reason never quotes the payload', () => {
  it.each(BROKEN)('%s', async (_, options, reason) => {
    const verdict = verifyBusMessage(await signedMessage(options), OPTIONS);
    expect(verdict).toMatchObject({ ok: false, reason });
    expect(JSON.stringify(verdict)).not.toMatch(/1234567890123456789012|plenty/);
  });

  it('for each of the reasons, except those of the storage', () => {
    const ofStorage = ['replayed', 'id-taken', 'not-storable'];
    const reasons = REJECTION_REASONS.filter((reason) => !ofStorage.includes(reason));
    expect(new Set(BROKEN.map(([, , reason]) => reason))).toEqual(new Set(reasons));
  });
});

describe('a message with several defects is rejected by the first check', () => {
  const laterDefects: MessageOptions = {
    fact: { tradingMargin: 'plenty' },
    overrides: { topic: 'x', timestampNanos: 0n },
  };

  it.each<[string, MessageOptions, RejectionReason]>([
    [
      'the format of the signature before its sender',
      { gateway: untrusted, overrides: { signature: '0x', sender: 'x' } },
      'signature-format',
    ],
    [
      'the signing address before trust in the sender',
      { gateway: untrusted, overrides: { sender: 'x' } },
      'signer-mismatch',
    ],
    [
      'trust in the sender before the proof',
      { ...laterDefects, gateway: untrusted, origin: generatePrivateKey() },
      'sender-not-allowed',
    ],
    [
      'the proof before the schema',
      { ...laterDefects, forge: (event) => ({ ...event, note: 1 }) },
      'origin-proof',
    ],
    ['the schema before the channel and topic', laterDefects, 'schema'],
    [
      'the schema before the participant',
      { fact: { participant: 'OTHER', tradingMargin: 'plenty' } },
      'schema',
    ],
    [
      'the participant before the channel and topic',
      { fact: { participant: 'OTHER' }, overrides: { topic: 'x' } },
      'participant-not-allowed',
    ],
  ])('%s', async (_, options, reason) => {
    expect(verifyBusMessage(await signedMessage(options), OPTIONS)).toMatchObject({ reason });
  });

  it('every sender is untrusted on a channel without senders in CONFIG_FILE', async () => {
    const trusted = { gateways: [], origins: [ORIGIN] };
    expect(verifyBusMessage(await signedMessage(), { ...OPTIONS, trusted })).toMatchObject({
      reason: 'sender-not-allowed',
    });
  });
});

describe('the trusted source of a rejected message', () => {
  const genuine = { sender: gatewayDid, participant: 'WPGENCO' };
  const source = async (options: MessageOptions, change: Partial<VerificationOptions> = {}) => {
    const verdict = verifyBusMessage(await signedMessage(options), { ...OPTIONS, ...change });
    if (verdict.ok) throw new Error('accepted');
    return verdict.trustedSource;
  };
  const here = (gateways: string[], origins: (typeof ORIGIN)[]) => ({ trusted: { gateways, origins } });

  it('is the participant of a valid proof, when the gateway or the bridge is trusted only on another channel', async () => {
    expect(await source({}, here([], [ORIGIN]))).toEqual(genuine);
    expect(await source({}, here([gatewayDid], []))).toEqual(genuine);
  });

  it('is the participant of a valid proof, of its bridge when the gateway is unknown', async () => {
    const ofBridge = { ...genuine, sender: originDid };
    expect(await source({ gateway: untrusted })).toEqual(ofBridge);
    expect(await source({ overrides: { sender: 'x' } })).toEqual(ofBridge);
  });

  it('is without a participant, when the bridge may announce facts about it on no channel', async () => {
    const options: MessageOptions = { fact: { participant: 'OTHER' } };
    expect(await source(options)).toEqual({ sender: gatewayDid, participant: '*' });
    const trustedAnywhere = { ...OPTIONS.trusted, origins: [ORIGIN, trusting(originDid, 'OTHER')] };
    expect(await source(options, { trustedAnywhere })).toEqual({ sender: gatewayDid, participant: 'OTHER' });
  });

  it('is the gateway without a participant, when the proof is not valid', async () => {
    const unproven = { sender: gatewayDid, participant: '*' };
    expect(await source({ origin: generatePrivateKey() })).toEqual(unproven);
    expect(await source({ payload: (text) => text.slice(0, -1) })).toEqual(unproven);
    const sender = gatewayDid.toLowerCase();
    expect(await source({ origin: generatePrivateKey(), overrides: { sender } })).toEqual(unproven);
  });

  it.each<[string, MessageOptions]>([
    ['neither signature nor proof is trusted', { gateway: untrusted, origin: generatePrivateKey() }],
    [
      'another key signed in the name of the gateway',
      { gateway: untrusted, origin: generatePrivateKey(), overrides: { sender: gatewayDid } },
    ],
    ['the payload was changed', { overrides: { payload: '{"all":"well"}' } }],
  ])('is undefined when %s', async (_, options) => {
    expect(await source(options)).toBeUndefined();
  });
});

/** An operational alert, as a poller or a publisher detects it. */
function bridgeAlert(
  participant: string,
  create: typeof createAlertClearedEvent | typeof createAlertRaisedEvent = createAlertRaisedEvent,
) {
  const since = DETECTION.detectedAt;
  const report = { app: 'poller', reason: 'clock-offset', participant, count: 1, since } as const;
  return create({ ...report, sequence: since.getTime() }, DETECTION);
}

/** An event that was changed and then signed again by the trusted bridge. */
function signedAgain(change: Record<string, unknown>): Record<string, unknown> {
  const event: Record<string, unknown> = { ...signedEvent(), ...change };
  delete event['proof'];
  return { ...event, proof: signDetachedJws(canonicalJson(event), origin) };
}

/** A valid r with n − s: the second form of a signature, which low-s forbids. */
function highS(low: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  const high = (order - BigInt(low)).toString(16).padStart(64, '0');
  return `0x${gateway.signingKey.sign(hashMessage('x')).r.slice(2)}${high}1b`;
}
