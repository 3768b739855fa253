import { CHANNEL, gatewayDid, originDid, signedMessage } from '@ssb/testing/signed-messages';
import { curve, type Curve } from '@ssb/identity';
import { Trust } from './trust.js';
import { verifyEvent, type Verdict } from './verify-event.js';
import { verifyMessage } from './verify-message.js';

const trustIn = (channel: string, participant = 'WPGENCO', signatureScheme = 'eip191'): Trust =>
  Trust.fromJson({
    version: 1,
    signatureScheme,
    channels: {
      [channel]: {
        gateways: [{ did: gatewayDid }],
        origins: [{ did: originDid, participants: [participant] }],
      },
    },
  });
const trust = trustIn(CHANNEL);
const OTHER = 'other.channels.bridge.apps.participant.iam.market';

describe('verifyMessage', () => {
  it('accepts a valid message, with the bridge that signed its event', async () => {
    const message = await signedMessage();
    const event = JSON.parse(message.payload) as unknown;
    expect(verifyMessage(message, { trust })).toEqual({ ok: true, event, origin: originDid });
  });

  it('trusts only the senders of the channel', async () => {
    const message = await signedMessage();
    expect(verifyMessage(message, { trust: trustIn(OTHER) })).toMatchObject({ reason: 'sender-not-allowed' });
    expect(verifyMessage({ ...message, fqcn: OTHER }, { trust: trustIn(OTHER) })).toMatchObject({
      reason: 'channel-mismatch',
    });
  });

  it('uses the signature scheme of the trust file', async () => {
    expect(
      verifyMessage(await signedMessage(), { trust: trustIn(CHANNEL, 'WPGENCO', 'keccak256') }),
    ).toMatchObject({
      reason: 'signer-mismatch',
    });
  });
});

it('the curve is a parameter: its results decide', async () => {
  const message = await signedMessage();
  const calls: string[] = [];
  const counting: Curve = {
    ...curve,
    recover: (...args) => {
      calls.push('recover');
      return curve.recover(...args);
    },
  };
  expect(verifyMessage(message, { trust, curve: counting })).toMatchObject({ ok: true });
  expect(calls.length).toBeGreaterThan(1);
  const failing: Curve = { ...curve, recover: () => undefined };
  expect(verifyMessage(message, { trust, curve: failing })).toMatchObject({ reason: 'signature-format' });
  expect(verifyEvent(message.payload, { trust, curve: failing })).toMatchObject({ reason: 'origin-proof' });
});

it.each([
  ['0x1234', 'the signature does not have the form of 65 bytes'],
  [`0x${'11'.repeat(64)}02`, 'the signature does not have the form of 65 bytes'],
  [`0x${'00'.repeat(64)}1b`, 'no public key can be recovered from the signature'],
])('the detail says what is wrong with the signature %s', async (signature, detail) => {
  const message = { ...(await signedMessage()), signature };
  expect(verifyMessage(message, { trust })).toEqual({ ok: false, reason: 'signature-format', detail });
});

it('the detail does not contain a channel that the trust file does not name', async () => {
  const message = { ...(await signedMessage()), fqcn: `${'x'.repeat(10_000)}\u001b` };
  const detail = `the gateway ${gatewayDid} is not trusted on its channel`;
  expect(verifyMessage(message, { trust })).toEqual({ ok: false, reason: 'sender-not-allowed', detail });
});

it('the detail names who is not trusted, the channel, and the scheme', async () => {
  const message = await signedMessage();
  const detailOf = (verdict: Verdict): unknown => !verdict.ok && verdict.detail;
  const nobody = { [CHANNEL]: { gateways: [], origins: [] } };
  const withoutSenders = Trust.fromJson({ version: 1, signatureScheme: 'eip191', channels: nobody });
  expect(detailOf(verifyMessage(message, { trust: withoutSenders }))).toBe(
    `the gateway ${gatewayDid} is not trusted on ${CHANNEL}`,
  );
  expect(detailOf(verifyMessage(message, { trust: trustIn(OTHER) }))).toBe(
    `the gateway ${gatewayDid} is not trusted on its channel`,
  );
  expect(detailOf(verifyEvent(message.payload, { trust: trustIn(OTHER) }))).toBe(
    `the bridge ${originDid} is not trusted on its channel`,
  );
  const stranger = Trust.fromJson({
    version: 1,
    signatureScheme: 'keccak256',
    channels: { [CHANNEL]: { gateways: [{ did: gatewayDid }], origins: [] } },
  });
  expect(detailOf(verifyEvent(message.payload, { trust: stranger }))).toBe(
    `the bridge ${originDid} is not trusted on ${CHANNEL}`,
  );
  expect(detailOf(verifyMessage(message, { trust: stranger }))).toMatch(
    /^the payload was signed by 0x[0-9a-fA-F]{40} \(signature scheme: keccak256\)$/,
  );
  expect(detailOf(verifyMessage(message, { trust: trustIn(CHANNEL, 'OTHER') }))).toBe(
    `the bridge ${originDid} is not trusted for events of this type about WPGENCO on ${CHANNEL}`,
  );
});

describe('verifyEvent', () => {
  const event = async () => (await signedMessage()).payload;

  it('accepts a valid event of the channel that it names', async () => {
    expect(verifyEvent(await event(), { trust })).toMatchObject({ ok: true, origin: originDid });
    expect(verifyEvent(await event(), { trust, channel: CHANNEL })).toMatchObject({ ok: true });
  });

  it.each<[string, (text: string) => string, Trust, string]>([
    ['a text that is not JSON', (text) => text.slice(1), trust, 'not-an-event'],
    ['a bridge that is not trusted on the channel', (text) => text, trustIn(OTHER), 'origin-not-allowed'],
    ['a changed figure', (text) => text.replace('-1234', '1234'), trust, 'origin-proof'],
    ['no channel', (text) => text.replace('"channel"', '"chanel"'), trust, 'origin-not-allowed'],
    [
      'a participant that the bridge may not announce',
      (text) => text,
      trustIn(CHANNEL, 'OTHER'),
      'participant-not-allowed',
    ],
  ])('refuses %s', async (_, change, trusted, reason) => {
    expect(verifyEvent(change(await event()), { trust: trusted })).toMatchObject({ ok: false, reason });
  });

  it('refuses an event that was signed for another channel than the one it came from', async () => {
    expect(verifyEvent(await event(), { trust: trustIn(OTHER), channel: OTHER })).toMatchObject({
      reason: 'channel-mismatch',
    });
  });
});
