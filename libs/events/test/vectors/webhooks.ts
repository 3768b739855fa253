import { createAlertRaisedEvent } from '../../src/bridge-events.js';
import { ALERT, DETECTION } from '../sample-events.js';
import { refusedWebhooks } from './invalid-webhooks.js';
import {
  accepted,
  ARCHIVED,
  containing,
  EVENT,
  eventText,
  OTHER_SECRET,
  parsed,
  SECRET,
  sign,
  signedBefore,
  TEST,
  TIMESTAMP,
  UNTRUSTED,
  type WebhookVector,
} from './make-webhook.js';
import { RETIRED_AT, RETIRED_BRIDGE } from './parties.js';
import { alertEnd, MARGIN, STATEMENT } from './valid.js';

/** Of the operations webhook: no bus carried it. */
const LOCAL_ALERT = JSON.stringify({ ...createAlertRaisedEvent(ALERT, DETECTION), local: true });
const RETIRED = { retiredKeys: [{ did: RETIRED_BRIDGE.did, until: RETIRED_AT }] };

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
    accepted('empty headers, which are as good as missing', {
      headers: { 'bridge-kind': '', 'bridge-state': '', 'bridge-marks': ' , ' },
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

    accepted('a digest with events of a bridge that was retired at another time on each channel', {
      body: containing('digest', {
        events: [parsed(ARCHIVED), parsed(signedBefore(RETIRED_BRIDGE, 3_600, STATEMENT))],
      }),
      says: RETIRED,
    }),
    ...refusedWebhooks(),
  ];
}
