import { createHash, createHmac } from 'node:crypto';
import { createAlertRaisedEvent } from '../../src/bridge-events.js';
import { createTestDelivery } from '../../src/deliveries/test-delivery.js';
import { ALERT, DETECTION } from '../sample-events.js';
import { RETIRED_AT, RETIRED_BRIDGE, REVOKED_BRIDGE, UNKNOWN_BRIDGE, type Party } from './parties.js';
import { makeMessage, type Json, type MessageChanges } from './make-message.js';
import { alertEnd, margin, MARGIN, STATEMENT } from './valid.js';

/** A webhook and what a verifier says about it. */
export interface WebhookVector {
  readonly name: string;
  /** The part of the request that is wrong. */
  readonly breaks?: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: readonly string[];
  /** The present time. */
  readonly now: string;
  /** Whether the events are verified with `trust.json` as well. */
  readonly trust: boolean;
  readonly verdict:
    | { readonly ok: true; readonly id: string }
    | { readonly ok: false; readonly reason: string };
}

interface Changes {
  readonly breaks?: string;
  readonly body?: string;
  /** The body that is signed, when it is another one. */
  readonly signedBody?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly signature?: (signature: string) => string;
  readonly secret?: readonly string[];
  readonly seconds?: number;
  readonly trust?: boolean;
  /** What the verdict says besides the id. */
  readonly says?: Json;
}

const secretOf = (name: string): string => `whsec_${createHash('sha256').update(name).digest('base64')}`;
const SECRET = secretOf('settlement-bus-bridge vectors: webhook');
const OTHER_SECRET = secretOf('settlement-bus-bridge vectors: former webhook');
const SENT_AT = Date.parse('2026-03-02T02:16:00.000Z');
const TIMESTAMP = String(SENT_AT / 1_000);

const eventText = (base: object, changes: MessageChanges = {}): string =>
  makeMessage('', base, changes).payload;
const EVENT = eventText(MARGIN);

/** The scheme of Standard Webhooks: HMAC-SHA256 over id, time and body. */
function sign(secret: string, id: string, timestamp: string, body: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function webhook(name: string, verdict: WebhookVector['verdict'], changes: Changes): WebhookVector {
  const { breaks, body = EVENT, signedBody = body, secret = [SECRET], seconds = 0, trust = true } = changes;
  const { id } = MARGIN;
  const signature = sign(SECRET, id, TIMESTAMP, signedBody);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': TIMESTAMP,
    'webhook-signature': changes.signature?.(signature) ?? signature,
    ...changes.headers,
  };
  return {
    name,
    ...(breaks !== undefined && { breaks }),
    body,
    headers: JSON.parse(JSON.stringify(headers)) as Record<string, string>,
    secret,
    now: new Date(SENT_AT + seconds * 1_000).toISOString(),
    trust,
    verdict,
  };
}

function accepted(name: string, changes: Changes = {}): WebhookVector {
  const { id } = JSON.parse(changes.body ?? EVENT) as { readonly id: string };
  return webhook(name, { ok: true, id, ...changes.says }, changes);
}

const refused = (reason: string, name: string, breaks: string, changes: Changes): WebhookVector =>
  webhook(name, { ok: false, reason }, { ...changes, breaks });

/** Of the operations webhook: no bus carried it. */
const LOCAL_ALERT = JSON.stringify({ ...createAlertRaisedEvent(ALERT, DETECTION), local: true });
const TEST = JSON.stringify(
  createTestDelivery({
    sink: 'desk',
    requestId: '7',
    requestedAt: new Date(SENT_AT),
    author: 'a',
    comment: 'é–😀',
  }),
);

const parsed = (text: string): Json => JSON.parse(text) as Json;
const without = (text: string, member: string): string =>
  JSON.stringify({ ...parsed(text), [member]: undefined });

/** A message of the bridge with events inside. */
function containing(type: string, data: Json): string {
  return JSON.stringify({ ...parsed(TEST), type: `settlementbus.delivery.${type}.v1`, data });
}

/** An event from the archive, which its bridge signed some seconds before it was retired. */
const signedBefore = (origin: Party, seconds: number): string =>
  eventText(MARGIN, {
    origin,
    event: { signedat: new Date(Date.parse(RETIRED_AT) - seconds * 1_000).toISOString() },
  });
const ARCHIVED = signedBefore(RETIRED_BRIDGE, 3_600);
const RETIRED = { retiredKeys: [{ did: RETIRED_BRIDGE.did, until: RETIRED_AT }] };

const UNTRUSTED = eventText(MARGIN, { origin: UNKNOWN_BRIDGE });

export function webhookVectors(): WebhookVector[] {
  return [
    accepted('an event'),
    accepted('an event without a trust file', { trust: false }),
    accepted('an event of an unknown bridge without a trust file', { trust: false, body: UNTRUSTED }),
    accepted('a large event with characters of several bytes', { body: eventText(STATEMENT) }),
    accepted('what the headers say', {
      headers: {
        'bridge-kind': 'alert',
        'bridge-severity': 'critical',
        'bridge-problem': '6d0f5b7e-31c9-4a82-8e6f-70d15c2e9834',
        'bridge-state': 'open',
        'bridge-marks': 'late,clockSkew',
        'bridge-replayed': 'true',
      },
      says: {
        kind: 'alert',
        severity: 'critical',
        problem: '6d0f5b7e-31c9-4a82-8e6f-70d15c2e9834',
        state: 'open',
        marks: ['late', 'clockSkew'],
        isReplayed: true,
      },
    }),
    accepted('the second of two secrets', { secret: [OTHER_SECRET, SECRET] }),
    accepted('a secret without whsec_', { secret: [SECRET.slice('whsec_'.length)] }),
    accepted('the second of two signatures', {
      signature: (right) => `${sign(OTHER_SECRET, MARGIN.id, TIMESTAMP, EVENT)} ${right}`,
    }),
    accepted('a signature of another version before it', {
      signature: (right) => `v2,YWJj v1a,YWJj ${right}`,
    }),
    accepted('headers with names in upper case', {
      headers: { 'webhook-id': undefined, 'WEBHOOK-ID': MARGIN.id },
    }),
    accepted('300 s after its time', { seconds: 300 }),
    accepted('300 s before its time', { seconds: -300 }),
    accepted('an alert of a service of the bridge, which has no proof', { body: LOCAL_ALERT }),
    accepted('a test', { body: TEST }),
    accepted('a reminder with its event', { body: containing('reminder', { event: parsed(EVENT) }) }),
    accepted('a digest with its events', {
      body: containing('digest', { events: [parsed(EVENT), parsed(eventText(STATEMENT))] }),
    }),
    accepted('the end of an alert about a participant that no entry names', {
      body: eventText(alertEnd('GAMMA')),
    }),
    accepted('an event of a bridge that was retired afterwards', { body: ARCHIVED, says: RETIRED }),
    accepted('an event of a bridge that was retired in the same minute', {
      body: signedBefore(RETIRED_BRIDGE, -30),
      says: RETIRED,
    }),
    accepted('a reminder with an event of a bridge that was retired afterwards', {
      body: containing('reminder', { event: parsed(ARCHIVED) }),
      says: RETIRED,
    }),
    accepted('a digest with events of a bridge that was retired afterwards', {
      body: containing('digest', { events: [parsed(ARCHIVED), parsed(EVENT), parsed(ARCHIVED)] }),
      says: RETIRED,
    }),

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
  ];
}

/** Another first character. */
function flipped(signature: string): string {
  const [, first = ''] = /^v1,(.)/.exec(signature) ?? [];
  return signature.replace(/^v1,./, `v1,${first === 'A' ? 'B' : 'A'}`);
}
