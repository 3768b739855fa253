import { SUMMARISED_STATEMENT } from '../sample-events.js';
import type { Json, MessageChanges } from './make-message.js';
import { BETA_BRIDGE, FORMER_PARTICIPANT, PRUDENTIAL_PARTICIPANT } from './parties.js';
import { alert, alertEnd, FORECAST, INVOICE, invoice, margin, MARGIN, STATEMENT } from './valid.js';
import { refused, type Refusal, type Vector } from './vector.js';

/** Changes the event before it is signed, so that only the schema or the identity can refuse it. */
const event = (change: Json): MessageChanges => ({ event: change });
const dataOf =
  (base: { readonly data: object }) =>
  (change: Json): MessageChanges => ({ event: { data: { ...base.data, ...change } } });
const data = dataOf(MARGIN);

const TYPES: readonly Refusal[] = [
  ['another version of a type', 'type', event({ type: MARGIN.type.replace('v1', 'v2') })],
  ['a type with a line feed at its end', 'type', event({ type: `${MARGIN.type}\n` })],
  ['a type in upper case', 'type', event({ type: MARGIN.type.toUpperCase() })],
  ['no type', 'type', event({ type: undefined })],
  ['a type that is a list', 'type', event({ type: [MARGIN.type] })],
  ['a type that objects inherit', 'type', event({ type: 'constructor' })],
];

const amount = (tradingMargin: unknown): MessageChanges => data({ tradingMargin });

const VALUES: readonly Refusal[] = [
  ['an amount with a line feed at its end', 'data.tradingMargin', amount('-1\n')],
  ['an amount with Arabic digits', 'data.tradingMargin', amount('-١٢')],
  ['an amount with full-width digits', 'data.tradingMargin', amount('１')],
  ['an amount with a digit outside the BMP', 'data.tradingMargin', amount('1𝟘')],
  ['an amount with a space', 'data.tradingMargin', amount(' 1')],
  ['an amount with a plus sign', 'data.tradingMargin', amount('+1')],
  ['an amount with a leading zero', 'data.tradingMargin', amount('01')],
  ['an amount with an exponent', 'data.tradingMargin', amount('1e5')],
  ['an amount without a digit after the point', 'data.tradingMargin', amount('1.')],
  ['an amount that is not a number', 'data.tradingMargin', amount('NaN')],
  ['an amount with a comma', 'data.tradingMargin', amount('1,5')],
  ['an empty amount', 'data.tradingMargin', amount('')],
  ['an amount as a number', 'data.tradingMargin', amount(-60_000)],
  ['an amount that is null', 'data.tradingMargin', amount(null)],
  ['an amount of 803 characters', 'data.tradingMargin', amount('1'.repeat(803))],
  ['a market time with a zone', 'data.calculatedAt', data({ calculatedAt: '2026-03-02T14:00:00+08:00' })],
  [
    'a market time with ten digits after the point',
    'data.calculatedAt',
    data({ calculatedAt: '2026-03-02T14:00:00.0123456789' }),
  ],
  ['month 13', 'data.calculatedAt', data({ calculatedAt: '2026-13-02T14:00:00' })],
  ['hour 24', 'data.calculatedAt', data({ calculatedAt: '2026-03-02T24:00:00' })],
  ['a digest in upper case', 'data.digest', data({ digest: 'A'.repeat(64) })],
  ['the level of another type', 'data.level', data({ level: 'WARNING' })],
  ['a number with a fraction', 'data.transition', data({ transition: 0.5 })],
  ['a number as a text', 'data.transition', data({ transition: '0' })],
  ['a number above its maximum', 'data.transition', data({ transition: 1_000 })],
  ['a truth value in place of a number', 'data.transition', data({ transition: true })],
  ['no trading margin', 'data.tradingMargin', data({ tradingMargin: undefined })],
  ['an additional member of the data', 'data.note', data({ note: 'x' })],
  ['data that are a list', 'data', event({ data: [] })],
  ['an additional member', 'note', event({ note: 'x' })],
  ['local: true, of events that no bus carried', 'local', event({ local: true })],
  ['backfilled: false', 'backfilled', event({ backfilled: false })],
  ['no sequence', 'sequence', event({ sequence: undefined })],
  ['a sequence as a number', 'sequence', event({ sequence: 1 })],
  ['a sequence of 19 digits', 'sequence', event({ sequence: '0'.repeat(19) })],
  ['a sequence with a line feed', 'sequence', event({ sequence: `${MARGIN.sequence}\n` })],
  ['a time in UTC', 'time', event({ time: '2026-03-02T06:00:00Z' })],
  ['a time of signing without milliseconds', 'signedat', event({ signedat: '2026-03-02T06:00:02Z' })],
  ['a time of signing in month 13', 'signedat', event({ signedat: '2026-13-02T06:00:02.050Z' })],
  ['a time of signing on 30 February', 'signedat', event({ signedat: '2026-02-30T06:00:02.050Z' })],
  ['a trace in upper case', 'traceparent', event({ traceparent: MARGIN.traceparent.toUpperCase() })],
  ['the schema of another type', 'dataschema', event({ dataschema: STATEMENT.dataschema })],
  ['another version of CloudEvents', 'specversion', event({ specversion: '1' })],
  ['another content type', 'datacontenttype', event({ datacontenttype: 'text/json' })],
  ['an id in upper case', 'id', event({ id: MARGIN.id.toUpperCase() })],
];

const IDENTITIES: readonly Refusal[] = [
  ['the id of another participant', 'id', event({ id: (margin('BETA') as { id: string }).id })],
  [
    'the id of another calculation',
    'id',
    event({ id: (margin('ALPHA', { digest: 'a'.repeat(64) }) as { id: string }).id }),
  ],
  ['the id of another type', 'id', event({ id: STATEMENT.id })],
  ['the subject of another participant', 'subject', event({ subject: 'BETA/prudential' })],
  ['the subject of another type', 'subject', event({ subject: 'ALPHA/position' })],
  ['a subject with a slash at its end', 'subject', event({ subject: 'ALPHA/prudential/' })],
  ['the source of another participant', 'source', event({ source: 'urn:settlement-bus-bridge:BETA' })],
  ['a source in lower case', 'source', event({ source: 'urn:settlement-bus-bridge:alpha' })],
  ['another participant in an event of ALPHA', 'participant', event({ participant: 'BETA' })],
  ['data of another calculation', 'data.calculatedAt', data({ calculatedAt: '2026-03-02T14:00:01' })],
  [
    'a threshold that gives another id',
    'data.thresholds',
    data({ thresholds: { ...MARGIN.data.thresholds, breach: '100001' } }),
  ],
];

const ESCAPED = margin('Zürich ключ');
const ESCAPES: readonly Refusal[] = [
  ['a source without escapes', 'source', event({ source: 'urn:settlement-bus-bridge:Zürich ключ' })],
  [
    'a source with escapes in lower case',
    'source',
    event({ source: `urn:settlement-bus-bridge:${encodeURIComponent('Zürich ключ').toLowerCase()}` }),
  ],
  [
    'a source with a plus sign for the space',
    'source',
    event({ source: `urn:settlement-bus-bridge:${encodeURIComponent('Zürich ключ').replace('%20', '+')}` }),
  ],
];

const INVOICES: readonly Refusal[] = [
  [
    'the subject of another invoice',
    'subject',
    event({ subject: INVOICE.subject.replace('INV-0007', 'INV-0009') }),
  ],
  ['the id of a repetition', 'id', event({ id: (invoice({ repetition: 2 }) as { id: string }).id })],
  [
    'an id of 21 characters outside the BMP',
    'data.id',
    event({ ...(invoice({ id: '😀'.repeat(21) }) as Json) }),
  ],
];

const VARIABLES: readonly Refusal[] = [
  ['variables and their summary', 'data', dataOf(SUMMARISED_STATEMENT)({ variables: [] })],
  ['neither variables nor their summary', 'data', dataOf(STATEMENT)({ variables: undefined })],
  ['a run id of 0', 'data.runId', dataOf(STATEMENT)({ runId: 0 })],
];

const PARTICIPANTS: readonly (readonly [name: string, base: object, changes?: MessageChanges])[] = [
  ['a participant of another bridge', margin('BETA')],
  ['a participant that no bridge may announce', margin('GAMMA')],
  ['a participant in lower case', margin('alpha')],
  ['a participant with a space at its end', margin('ALPHA ')],
  ['all participants in a fact of the market', margin('*')],
  ['a participant of this bridge by the bridge of another', MARGIN, { origin: BETA_BRIDGE }],
  ['an alert about a participant of another bridge', alert('BETA')],
  ['the end of an alert about a participant of another bridge', alertEnd('BETA')],
  ['the end of an alert about a participant of another channel', alertEnd(PRUDENTIAL_PARTICIPANT)],
  ['an alert about a former participant', alert(FORMER_PARTICIPANT)],
  ['a fact about a former participant', margin(FORMER_PARTICIPANT)],
];

const NO_PARTICIPANTS: readonly (readonly [name: string, base: object])[] = [
  ['a participant with a NUL', margin('AL\0PHA')],
  ['a participant of 61 characters', margin('A'.repeat(61))],
  ['an empty participant', margin('')],
];

export function invalidEvents(): Vector[] {
  return [
    ...refused('unknown-type', MARGIN, TYPES),
    ...refused('schema', MARGIN, [...VALUES, ...IDENTITIES]),
    ...refused('schema', ESCAPED, ESCAPES),
    ...refused('schema', INVOICE, INVOICES),
    ...refused('schema', STATEMENT, VARIABLES),
    ...refused('schema', FORECAST, [
      ['a truth value as a text', 'data.isForecast', dataOf(FORECAST)({ isForecast: 'true' })],
    ]),
    ...NO_PARTICIPANTS.flatMap(([name, base]) => refused('schema', base, [[name, 'participant', {}]])),
    ...PARTICIPANTS.flatMap(([name, base, changes = {}]) =>
      refused('participant-not-allowed', base, [[name, 'participant', changes]]),
    ),
  ];
}
