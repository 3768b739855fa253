import { SIGNED_EVENTS } from '../sample-events.js';
import {
  containing,
  EVENT,
  eventText,
  OTHER_SECRET,
  parsed,
  refused,
  SENT_AT,
  signedBefore,
  TIMESTAMP,
  UNTRUSTED,
  without,
  type WebhookVector,
} from './make-webhook.js';
import { RETIRED_BRIDGE, REVOKED_BRIDGE } from './parties.js';
import { margin, MARGIN, STATEMENT } from './valid.js';

const HEARTBEAT = SIGNED_EVENTS['settlementbus.bridge.heartbeat.v1'];

export function refusedWebhooks(): WebhookVector[] {
  return [
    refused('headers', 'no webhook-id', 'headers', { headers: { 'webhook-id': undefined } }),
    refused('headers', 'no webhook-timestamp', 'headers', { headers: { 'webhook-timestamp': undefined } }),
    refused('headers', 'no webhook-signature', 'headers', { headers: { 'webhook-signature': undefined } }),
    refused('headers', 'a time as a date', 'webhook-timestamp', {
      headers: { 'webhook-timestamp': new Date(SENT_AT).toISOString() },
    }),
    refused('headers', 'a time with a fraction', 'webhook-timestamp', {
      headers: { 'webhook-timestamp': `${TIMESTAMP}.0` },
    }),
    refused('headers', 'a time with Arabic digits', 'webhook-timestamp', {
      headers: { 'webhook-timestamp': '١٧٧٢٤١٧٧٦٠' },
    }),
    refused('signature', 'another id', 'webhook-id', { headers: { 'webhook-id': STATEMENT.id } }),
    refused('signature', 'another time', 'webhook-timestamp', {
      headers: { 'webhook-timestamp': String(SENT_AT / 1_000 + 1) },
    }),
    refused('signature', 'a changed figure', 'body', {
      body: EVENT.replace('-60000.5', '60000.5'),
      signedBody: EVENT,
    }),
    refused('signature', 'a space after the body', 'body', { body: `${EVENT} `, signedBody: EVENT }),
    refused('signature', 'the body written again', 'body', {
      body: JSON.stringify(parsed(EVENT), null, 2),
      signedBody: EVENT,
    }),
    refused('signature', 'another secret', 'secret', { secret: [OTHER_SECRET] }),
    refused('signature', 'no secret', 'secret', { secret: [] }),
    refused('signature', 'a flipped bit', 'webhook-signature', { signature: flipped }),
    refused('signature', 'a signature without its version', 'webhook-signature', {
      signature: (right) => right.slice('v1,'.length),
    }),
    refused('signature', 'a signature of another version', 'webhook-signature', {
      signature: (right) => right.replace('v1', 'v2'),
    }),
    refused('signature', 'an empty signature', 'webhook-signature', { signature: () => 'v1,' }),
    refused('signature', 'signatures separated by a comma', 'webhook-signature', {
      signature: (right) => `v1,YWJj,${right}`,
    }),
    refused('timestamp', '301 s after its time', 'webhook-timestamp', { seconds: 301 }),
    refused('timestamp', '301 s before its time', 'webhook-timestamp', { seconds: -301 }),
    refused('not-an-event', 'a body that is not JSON', 'body', { body: 'hello' }),
    refused('not-an-event', 'a body that is a list', 'body', { body: `[${EVENT}]` }),
    refused('not-an-event', 'a name twice', 'body', { body: EVENT.replace('{', '{"subject":"another",') }),
    refused('not-an-event', 'a body without data', 'body', { body: without(EVENT, 'data') }),
    refused('origin-not-allowed', 'an event of an unknown bridge', 'body', { body: UNTRUSTED }),
    refused('origin-proof', 'an event without proof', 'body', { body: without(EVENT, 'proof') }),
    refused('origin-proof', 'an event without proof that says local', 'body', {
      body: JSON.stringify({ ...parsed(without(EVENT, 'proof')), local: true }),
    }),
    refused('schema', 'an event with another member', 'body', {
      body: eventText(MARGIN, { event: { note: 1 } }),
    }),
    refused('participant-not-allowed', 'an event about another participant', 'body', {
      body: eventText(margin('BETA')),
    }),
    refused('origin-not-allowed', 'an event of a bridge that was retired before it signed', 'body', {
      body: signedBefore(RETIRED_BRIDGE, -90),
    }),
    refused('origin-not-allowed', 'an event of a bridge whose key was revoked afterwards', 'body', {
      body: signedBefore(REVOKED_BRIDGE, 3_600),
    }),
    refused('origin-not-allowed', 'a reminder with an event of an unknown bridge', 'body', {
      body: containing('reminder', { event: parsed(UNTRUSTED) }),
    }),
    refused('origin-proof', 'a digest with an event without proof', 'body', {
      body: containing('digest', { events: [parsed(EVENT), parsed(without(EVENT, 'proof'))] }),
    }),
    refused('origin-proof', 'a body with a lone surrogate, which is sent as U+FFFD', 'body', {
      body: EVENT.replace('"source":"', '"source":"\ud800'),
    }),
    refused('origin-proof', 'a heartbeat of the bridge without proof', 'body', {
      body: without(eventText(HEARTBEAT), 'proof'),
    }),
    refused('not-an-event', 'a reminder whose event is null', 'body', {
      body: containing('reminder', { event: null }),
    }),
    refused('not-an-event', 'a digest whose events are null', 'body', {
      body: containing('digest', { events: null }),
    }),
    refused('schema', 'an event of a retired bridge without milliseconds in its time of signing', 'body', {
      body: eventText(MARGIN, { origin: RETIRED_BRIDGE, event: { signedat: '2026-01-31T15:00:00Z' } }),
    }),
    refused('origin-not-allowed', 'an event of a retired bridge whose time of signing is a number', 'body', {
      body: eventText(MARGIN, { origin: RETIRED_BRIDGE, event: { signedat: 2025 } }),
    }),
    refused('origin-not-allowed', 'an event of a retired bridge with a list as its time of signing', 'body', {
      body: eventText(MARGIN, {
        origin: RETIRED_BRIDGE,
        event: { signedat: ['2026-01-31T15:00:00.050Z'] },
      }),
    }),
    refused(
      'origin-not-allowed',
      'an event of a retired bridge with an object as its time of signing',
      'body',
      {
        body: eventText(MARGIN, { origin: RETIRED_BRIDGE, event: { signedat: { toString: 1, valueOf: 1 } } }),
      },
    ),
    refused('schema', 'an event with an object as its time of signing', 'body', {
      body: eventText(MARGIN, { event: { signedat: { toString: 1, valueOf: 1 } } }),
    }),
    refused('schema', 'an event with an object as its participant', 'body', {
      body: eventText(MARGIN, { event: { participant: { toString: 1, valueOf: 1 } } }),
    }),
    refused('schema', 'an event that was signed on 30 February', 'body', {
      body: eventText(MARGIN, { event: { signedat: '2026-02-30T02:15:31.050Z' } }),
    }),
  ];
}

/** Another first character. */
function flipped(signature: string): string {
  const [, first = ''] = /^v1,(.)/.exec(signature) ?? [];
  return signature.replace(/^v1,./, `v1,${first === 'A' ? 'B' : 'A'}`);
}
