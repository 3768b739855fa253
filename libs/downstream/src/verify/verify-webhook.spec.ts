import { createHmac } from 'node:crypto';
import { createAlertRaisedEvent } from '@ssb/events';
import { CHANNEL, DETECTION, gatewayDid, originDid, signedEvent } from '@ssb/testing/signed-messages';
import { generatePrivateKey } from '@ssb/identity';
import { Webhook } from 'standardwebhooks';
import { Trust } from './trust.js';
import { verifyWebhook, type WebhookVerificationOptions } from './verify-webhook.js';

const SECRET = `whsec_${Buffer.from('the first secret of these tests').toString('base64')}`;
const OTHER_SECRET = `whsec_${Buffer.from('another secret of these tests').toString('base64')}`;
const NOW = new Date('2026-03-02T00:01:00.000Z');
const EVENT = signedEvent();
const trust = Trust.fromJson({
  version: 1,
  signatureScheme: 'eip191',
  channels: {
    [CHANNEL]: { gateways: [{ did: gatewayDid }], origins: [{ did: originDid, participants: ['WPGENCO'] }] },
  },
});

/** The headers that the library of Standard Webhooks makes. */
function headersFor(
  body: string,
  change: Record<string, string> = {},
  secret = SECRET,
): Record<string, string> {
  return {
    'Webhook-Id': 'an-id',
    'Webhook-Timestamp': String(NOW.getTime() / 1000),
    'Webhook-Signature': new Webhook(secret).sign('an-id', NOW, body),
    ...change,
  };
}

function verify(
  content: unknown,
  options: Partial<WebhookVerificationOptions> = {},
  change?: Record<string, string>,
) {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  return verifyWebhook(body, headersFor(body, change), { secret: SECRET, now: NOW, ...options });
}

describe('a genuine webhook', () => {
  it('is accepted with its event and what its headers say', () => {
    const headers = {
      'Bridge-Kind': 'alert',
      'Bridge-Severity': 'critical',
      'Bridge-Problem': 'p',
      'Bridge-State': 'open',
      'Bridge-Marks': 'late, clockSkew',
      'Bridge-Replayed': 'true',
    };
    expect(verify(EVENT, { trust }, headers)).toEqual({
      ok: true,
      event: EVENT,
      retiredKeys: [],
      kind: 'alert',
      severity: 'critical',
      problem: 'p',
      state: 'open',
      marks: ['late', 'clockSkew'],
      isReplayed: true,
    });
    expect(verify(EVENT)).toEqual({ ok: true, event: EVENT, retiredKeys: [], marks: [], isReplayed: false });
  });

  it('is accepted as bytes, with headers as Node and as Fetch have them', () => {
    const body = JSON.stringify(EVENT);
    const [bytes, headers, options] = [
      new TextEncoder().encode(body),
      headersFor(body),
      { secret: SECRET, now: NOW },
    ];
    const lists = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value]]),
    );
    expect(verifyWebhook(bytes, lists, options)).toMatchObject({ ok: true });
    expect(verifyWebhook(Buffer.from(bytes), new Headers(headers), options)).toMatchObject({ ok: true });
  });

  it('is accepted with one of several signatures and secrets, also without the prefix', () => {
    const body = JSON.stringify(EVENT);
    const [first, other] = [SECRET, OTHER_SECRET].map((each) => new Webhook(each).sign('an-id', NOW, body));
    const change = { 'Webhook-Signature': `v2,abc ${other} ${first}` };
    expect(verify(EVENT, {}, change)).toMatchObject({ ok: true });
    expect(verify(EVENT, { secret: [OTHER_SECRET, SECRET] })).toMatchObject({ ok: true });
    expect(verify(EVENT, { secret: SECRET.slice('whsec_'.length) })).toMatchObject({ ok: true });
  });

  it.each([300, -300])('is accepted %d s after its time', (seconds) => {
    expect(verify(EVENT, { now: new Date(NOW.getTime() + seconds * 1000) })).toMatchObject({ ok: true });
  });

  const since = DETECTION.detectedAt;
  const alert = createAlertRaisedEvent(
    { app: 'subscriber', reason: 'clock-offset', participant: '*', count: 1, since, sequence: 1 },
    DETECTION,
  );

  it('with an alert of a service of the bridge needs no proof', () => {
    expect(verify({ ...alert, local: true }, { trust })).toMatchObject({ ok: true });
    expect(verify(alert, { trust })).toMatchObject({ ok: true });
  });

  it('with further events inside is accepted when each has its proof', () => {
    const digest = { ...alert, type: 'settlementbus.delivery.digest.v1', data: { events: [EVENT, alert] } };
    expect(verify(digest, { trust })).toMatchObject({ ok: true });
    const reminder = { ...digest, type: 'settlementbus.delivery.reminder.v1', data: { event: EVENT } };
    expect(verify(reminder, { trust })).toMatchObject({ ok: true });
  });
});

describe('a webhook with one defect is refused', () => {
  const body = JSON.stringify(EVENT);
  const unproven: Record<string, unknown> = { ...EVENT };
  delete unproven['proof'];
  const forged = signedEvent({ origin: generatePrivateKey() });
  const containing = (data: object) => ({
    ...EVENT,
    proof: undefined,
    type: 'settlementbus.delivery.digest.v1',
    data,
  });

  it.each<[string, string, Record<string, string>, Partial<WebhookVerificationOptions>]>([
    ['headers', 'no id', { 'Webhook-Id': '' }, {}],
    ['headers', 'no signature', { 'Webhook-Signature': '' }, {}],
    ['headers', 'a time that is a date', { 'Webhook-Timestamp': NOW.toISOString() }, {}],
    ['signature', 'another id', { 'Webhook-Id': 'another-id' }, {}],
    ['signature', 'another time', { 'Webhook-Timestamp': '1772409661' }, {}],
    ['signature', 'the signature of another secret', {}, { secret: OTHER_SECRET }],
    ['signature', 'no secret', {}, { secret: [] }],
    ['signature', 'a signature of another version', { 'Webhook-Signature': 'v2,abc' }, {}],
    ['timestamp', 'a time before the tolerance', {}, { now: new Date(NOW.getTime() + 301_000) }],
    ['timestamp', 'a time after the tolerance', {}, { now: new Date(NOW.getTime() - 301_000) }],
  ])('%s: %s', (reason, _name, change, options) => {
    expect(verify(body, options, change)).toMatchObject({ ok: false, reason });
  });

  it('signature: a changed body', () => {
    const changed = body.replace('-1234', '-9');
    const options = { secret: SECRET, now: NOW };
    expect(verifyWebhook(changed, headersFor(body), options)).toMatchObject({ reason: 'signature' });
  });

  it.each<[string, string, unknown]>([
    ['not-an-event', 'a text that is not JSON', 'hello'],
    ['not-an-event', 'a list', [EVENT]],
    ['not-an-event', 'an object without data', { id: 'a', type: 'b', source: 'c' }],
    ['not-an-event', 'a duplicate name', body.replace('{', '{"subject":"another",')],
    ['origin-not-allowed', 'an event of an unknown bridge', forged],
    ['origin-proof', 'an event without its proof', unproven],
    ['origin-proof', 'an event without its proof that says local', { ...unproven, local: true }],
    ['origin-not-allowed', 'an event of an unknown bridge inside', containing({ event: forged })],
    ['origin-proof', 'an event without its proof inside', containing({ events: [EVENT, unproven] })],
    ['not-an-event', 'a text inside', containing({ events: ['hello'] })],
    ['unknown-type', 'an event of an unknown type inside', containing({ event: { ...unproven, type: 'x' } })],
  ])('%s: %s', (reason, _name, content) => {
    expect(verify(content, { trust })).toMatchObject({ ok: false, reason });
  });

  it('not-an-event: bytes that are not UTF-8', () => {
    const bytes = Buffer.from(body.replace('WPGENCO', '\u00ff'), 'latin1');
    const headers = headersFor(body);
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const head = `an-id.${headers['Webhook-Timestamp']}.`;
    const signature = createHmac('sha256', key).update(head).update(bytes).digest('base64');
    const options = { secret: SECRET, now: NOW };
    expect(
      verifyWebhook(bytes, { ...headers, 'Webhook-Signature': `v1,${signature}` }, options),
    ).toMatchObject({
      reason: 'not-an-event',
    });
  });
});

it('an invalid time is misuse', () => {
  expect(() => verify(EVENT, { now: new Date('yesterday') })).toThrow(RangeError);
});

it('misuse is an exception that does not contain the secret', () => {
  const options = { secret: SECRET, now: NOW };
  expect(() => verifyWebhook(EVENT as unknown as string, {}, options)).toThrow(/as it was received/);
  for (const secret of ['secret!', 'whsec_', '', 'whsec_YWJj\n', 'whsec_YWI'])
    expect(() => verifyWebhook('', {}, { secret })).toThrow(
      /^A webhook secret is whsec_ and a key in base64[^Y]*$/,
    );
});
