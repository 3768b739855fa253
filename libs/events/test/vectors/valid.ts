import {
  createAlertClearedEvent,
  createAlertRaisedEvent,
  createHeartbeatEvent,
} from '../../src/bridge-events.js';
import { TOPIC_BY_EVENT_TYPE } from '../../src/envelope/event-type.js';
import { createFactEvent, type DetectedEvent } from '../../src/event.js';
import {
  ALERT,
  DETECTION,
  FACTS,
  FURTHER_EVENTS,
  HEARTBEAT,
  PARTICIPANT,
  SIGNED_EVENTS,
} from '../sample-events.js';
import { canonical, type Json } from './make-message.js';
import {
  BETA_BRIDGE,
  BRIDGE,
  FORMER_PARTICIPANT,
  GATEWAY,
  OTHER_BRIDGE,
  OTHER_GATEWAY,
  PRUDENTIAL,
  SETTLEMENT,
  UNUSUAL_PARTICIPANTS,
} from './parties.js';
import { accepted, type Vector } from './vector.js';

export const STATEMENT = SIGNED_EVENTS['settlementbus.statement.published.v1'];
export const INVOICE = SIGNED_EVENTS['settlementbus.invoice.issued.v1'];
export const MARGIN = SIGNED_EVENTS['settlementbus.margin.breached.v1'];
export const FORECAST = SIGNED_EVENTS['settlementbus.margin.breach-forecast.v1'];

/** Adds what the publisher adds, apart from the proof. */
export function addressed(event: DetectedEvent, channel: string): object {
  const topic = TOPIC_BY_EVENT_TYPE[event.type];
  return { ...event, channel, topic, signedat: '2026-03-02T02:15:31.050Z' };
}

/** A breach of a participant. */
export function margin(participant: string, change: object = {}): object {
  const type = 'settlementbus.margin.breached.v1';
  return addressed(
    createFactEvent({ type, data: { ...FACTS[type], ...change } }, participant, DETECTION),
    PRUDENTIAL,
  );
}

export function invoice(change: object, participant = PARTICIPANT): object {
  const type = 'settlementbus.invoice.issued.v1';
  return addressed(
    createFactEvent({ type, data: { ...FACTS[type], ...change } }, participant, DETECTION),
    SETTLEMENT,
  );
}

export function alert(participant: string): object {
  return addressed(createAlertRaisedEvent({ ...ALERT, participant }, DETECTION), SETTLEMENT);
}

export function alertEnd(participant: string): object {
  return addressed(createAlertClearedEvent({ ...ALERT, participant }, DETECTION), SETTLEMENT);
}

function heartbeat(participant: string): object {
  return addressed(createHeartbeatEvent({ ...HEARTBEAT, participant }, DETECTION), SETTLEMENT);
}

/** A statement of some hundred variables. */
function largeStatement(): object {
  const type = 'settlementbus.statement.published.v1';
  const [variable] = FACTS[type].variables ?? [];
  const variables = Array.from({ length: 400 }, (_, index) => ({
    ...variable,
    variable: `Energy – ${index} 😀 \u2028`,
    value: `${index}.${'0123456789'.repeat(3)}`,
  }));
  return createFactEvent(
    { type, data: { ...FACTS[type], variables } } as Parameters<typeof createFactEvent>[0],
    PARTICIPANT,
    DETECTION,
  );
}

/** Ways to write the same event. The proof covers its value, the gateway's signature its text. */
const WRITINGS: Readonly<Record<string, (text: string) => string>> = {
  'with line ends and tabs': (text) => `\n${JSON.stringify(JSON.parse(text), null, '\t')}\r\n `,
  'in the canonical form': (text) => canonical(JSON.parse(text)),
  'with escapes that are not needed': (text) =>
    text.replaceAll('–', '\\u2013').replaceAll('/', '\\/').replace('"id"', '"\\u0069d"'),
  'with an integer as 4711.0': (text) => text.replace('"runId":4711', '"runId":4711.0'),
  'with an integer as 4.711E+3': (text) => text.replace('"runId":4711', '"runId":4.711E+3'),
};
const reversed = (event: Json): Json => Object.fromEntries(Object.entries(event).toReversed());
const upperAddress = ({ address }: { readonly address: string }): string =>
  `did:ethr:0x${address.slice(2).toUpperCase()}`;

export function validVectors(): Vector[] {
  return [
    ...Object.values(SIGNED_EVENTS).map((event) => accepted(event.type, event)),
    ...FURTHER_EVENTS.map((event, index) => accepted(`${event.type} with further members (${index})`, event)),
    ...UNUSUAL_PARTICIPANTS.map((code) => accepted(`the participant ${code}`, margin(code))),
    ...Object.entries(WRITINGS).map(([how, text]) => accepted(`the payload ${how}`, STATEMENT, { text })),
    accepted('the payload with the members in reverse order', STATEMENT, { forge: reversed }),
    accepted('the payload with zero as -0', FORECAST, {
      text: (text) => text.replace('"transition":0', '"transition":-0'),
    }),
    accepted('a payload of 80 kB with characters of four bytes and line separators', {
      ...addressed(largeStatement() as DetectedEvent, SETTLEMENT),
    }),
    accepted('an invoice with an id of 20 characters outside the BMP', invoice({ id: '😀'.repeat(20) })),
    accepted('an invoice with an empty id', invoice({ id: '' })),
    accepted('an invoice with brackets, braces and separators in its id', invoice({ id: '{id}[|{a}]/:|' })),
    accepted('an invoice without a digest', invoice({ digest: undefined })),
    accepted(
      'amounts with many digits and zeros at their end',
      margin(PARTICIPANT, {
        tradingMargin: `-${'9'.repeat(390)}.${'0'.repeat(390)}`,
        thresholds: { warning: '250000.5000', breach: '-0.00', hysteresis: '100.00' },
      }),
    ),
    accepted(
      'market times with nine and with one digit after the point',
      margin(PARTICIPANT, {
        tradingDay: '2026-03-02T00:00:00.1',
        calculatedAt: '2026-03-02T10:15:30.123456789',
      }),
    ),
    accepted(
      'a breach without its optional members',
      margin(PARTICIPANT, {
        digest: undefined,
        transition: undefined,
        cause: undefined,
        severity: undefined,
        outstandingAmount: undefined,
        previousMargin: undefined,
        thresholds: { warning: '1', breach: '0', hysteresis: '0' },
      }),
    ),
    accepted('an alert about all participants', alert('*')),
    accepted('a heartbeat about all participants', heartbeat('*')),
    accepted('an alert about all participants by a bridge of one', alert('*'), { origin: BETA_BRIDGE }),
    accepted('the end of an alert about a former participant', alertEnd(FORMER_PARTICIPANT)),
    accepted('the end of an alert about a participant that no entry names', alertEnd('GAMMA')),
    accepted('the participant of another bridge', margin('BETA'), { origin: BETA_BRIDGE }),
    accepted('a gateway and a bridge of this channel only', INVOICE, {
      origin: OTHER_BRIDGE,
      gateway: OTHER_GATEWAY,
    }),
    accepted('a signature with v 0 or 1', MARGIN, {
      signature: ({ r, s, yParity }) => `${r}${s.slice(2)}0${yParity}`,
    }),
    accepted('a signature with v 0 or 1, of another event', INVOICE, {
      signature: ({ r, s, yParity }) => `${r}${s.slice(2)}0${yParity}`,
    }),
    accepted('a signature in upper case', MARGIN, {
      signature: ({ serialized }) => `0x${serialized.slice(2).toUpperCase()}`,
    }),
    accepted('the sender in lower case', MARGIN, { message: { sender: GATEWAY.did.toLowerCase() } }),
    accepted('the sender in upper case', MARGIN, { message: { sender: upperAddress(GATEWAY) } }),
    accepted('the sender with a network', MARGIN, {
      message: { sender: `did:ethr:volta:${GATEWAY.address}` },
    }),
    accepted('the kid of the proof in lower case', MARGIN, { header: { kid: BRIDGE.did.toLowerCase() } }),
    accepted('the kid of the proof with a network', MARGIN, {
      header: { kid: `did:ethr:0x1:${BRIDGE.address}` },
    }),
    accepted('further members in the header of the proof', MARGIN, { header: { typ: 'JOSE', iat: 1 } }),
    accepted('another topic', MARGIN, { event: { topic: 'any topic' }, message: { topic: 'any topic' } }),
    accepted('no topic, signed for the default one', MARGIN, {
      event: { topic: 'default' },
      message: { topic: undefined },
    }),
    accepted('no transaction id', MARGIN, { message: { transactionId: undefined } }),
    accepted('a time of the bus long before the signature', MARGIN, { message: { timestampNanos: '1' } }),
  ];
}
