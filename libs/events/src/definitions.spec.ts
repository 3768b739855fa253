import { definitionOf, type EventDataByType, type FactType } from './definitions.js';
import { EVENT_TYPES } from './envelope/event-type.js';
import { createFactEvent } from './event.js';
import { DETECTION, FACTS, PARTICIPANT } from '../test/sample-events.js';

type Change<Type extends FactType> = Partial<EventDataByType[Type]>;
type Changes = { readonly [Type in FactType]: Readonly<Record<string, Change<Type>>> };

const DIGEST = '0'.repeat(64);
const CALCULATION = {
  tradingDay: { tradingDay: '2026-03-09T00:00:00' },
  calculatedAt: { calculatedAt: '2026-03-02T10:15:30.251' },
  'figures of the row': { digest: DIGEST },
};
const DECISION = { ...CALCULATION, transition: { transition: 1 } };
const RUN = {
  market: { marketService: 'STEM' },
  period: { periodFrom: '2026-03-08T00:00:00' },
  designation: { designation: 'ADJ2' },
} as const;
const INVOICE = { ...RUN, market: { market: 'STEM' }, id: { id: 'INV-0010' } } as const;
const THRESHOLDS = {
  warning: { thresholds: { method: 'amount', warning: '1', breach: '100000', hysteresis: '10000' } },
  breach: { thresholds: { method: 'amount', warning: '250000', breach: '1', hysteresis: '10000' } },
  hysteresis: { thresholds: { method: 'amount', warning: '250000', breach: '100000', hysteresis: '1' } },
  method: { thresholds: { method: 'share', warning: '250000', breach: '100000', hysteresis: '10000' } },
} as const;
const FORECAST = {
  ...DECISION,
  forecast: { isForecast: false },
  breach: { breach: '1' },
  method: { method: 'trend' },
  horizon: { horizonDays: 8 },
} as const;
const PREVIOUS = { lastCalculatedAt: { lastCalculatedAt: '2026-03-02T10:15:30.251' } };
const WINDOW = {
  publishedAt: { publishedAt: '2026-03-23T11:30:00' },
  figures: { digest: DIGEST },
  lastDay: { disagreeUntil: '2026-04-20' },
  repetition: { repetition: 2 },
} as const;
const OUTAGE = {
  interface: { interface: 'settlement' },
  since: { since: '2026-03-02T02:20:00.001Z' },
} as const;

/** One change for each part of the key of each type. */
const KEYS: Changes = {
  'settlementbus.statement.published.v1': { ...RUN, run: { runId: 4712 } },
  'settlementbus.statement.revised.v1': {
    ...RUN,
    run: { runId: 4712 },
    publishedAt: { publishedAt: '2026-03-23T11:30:01' },
    figures: { digest: DIGEST },
    repetition: { repetition: 2 },
  },
  'settlementbus.statement.overdue.v1': { ...RUN, statementDate: { statementDate: '2026-03-20' } },
  'settlementbus.statement.disagreement-due.v1': {
    ...RUN,
    ...WINDOW,
    reminder: { reminder: 1 },
  },
  'settlementbus.statement.disagreement-lapsed.v1': { ...RUN, ...WINDOW },
  'settlementbus.invoice.issued.v1': {
    ...INVOICE,
    adjustment: { adjustment: 1 },
    figures: { digest: DIGEST },
    repetition: { repetition: 2 },
  },
  'settlementbus.invoice.adjusted.v1': {
    ...INVOICE,
    adjustment: { adjustment: 2 },
    figures: { digest: DIGEST },
    repetition: { repetition: 2 },
  },
  'settlementbus.invoice.reversed.v1': {
    ...INVOICE,
    reversed: { reversed: { id: 'INV-0006' } },
    figures: { digest: DIGEST },
    repetition: { repetition: 2 },
  },
  'settlementbus.invoice.overdue.v1': { ...RUN, invoiceDate: { invoiceDate: '2026-03-26' } },
  'settlementbus.invoice.discrepancy.v1': {
    ...INVOICE,
    figures: { digest: DIGEST },
    earlier: { comparedWith: DIGEST },
  },
  'settlementbus.invoice.document-stored.v1': {
    ...INVOICE,
    id: { invoiceId: 'INV-0010' },
    figures: { digest: DIGEST },
    document: { sha256: DIGEST },
  },
  'settlementbus.payment.due.v1': {
    ...INVOICE,
    id: { invoiceId: 'INV-0010' },
    dueDate: { dueDate: '2026-06-12' },
    reminder: { reminder: 1 },
    dayKind: { dayKind: 'business' },
    figures: { digest: DIGEST },
  },
  'settlementbus.estimation.published.v1': {
    period: { periodFrom: '2026-04-01T00:00:00' },
    designation: { designation: 'ADJ1' },
    tradingDay: { tradingDay: '2026-03-15T00:00:00' },
    run: { runId: 5121 },
    figures: { digest: DIGEST },
    repetition: { repetition: 2 },
  },
  'settlementbus.timeline.changed.v1': { changes: { digest: DIGEST }, revision: { revision: 4 } },
  'settlementbus.position.calculated.v1': { ...CALCULATION, forecast: { isForecast: true } },
  'settlementbus.position.stale.v1': PREVIOUS,
  'settlementbus.position.resumed.v1': PREVIOUS,
  'settlementbus.margin.warning.v1': { ...DECISION, ...THRESHOLDS },
  'settlementbus.margin.breached.v1': {
    ...DECISION,
    ...THRESHOLDS,
    method: { thresholds: { ...FACTS['settlementbus.margin.breached.v1'].thresholds, method: 'amount' } },
  },
  'settlementbus.margin.restored.v1': { ...DECISION, ...THRESHOLDS, level: { level: 'WARNING' } },
  'settlementbus.margin.breach-forecast.v1': FORECAST,
  'settlementbus.margin.forecast-cleared.v1': FORECAST,
  'settlementbus.credit-support.short.v1': { ...DECISION, limit: { creditLimit: '1000000.01' } },
  'settlementbus.credit-support.restored.v1': { ...DECISION, limit: { creditLimit: '999999.99' } },
  'settlementbus.market.unreachable.v1': OUTAGE,
  'settlementbus.market.recovered.v1': OUTAGE,
};

function create(type: FactType, change: object = {}, participant = PARTICIPANT, detection = DETECTION) {
  return createFactEvent({ type, data: { ...FACTS[type], ...change } }, participant, detection);
}

it.each(Object.keys(KEYS) as FactType[])('%s has an id that depends on its key alone', (type) => {
  const { id, subject } = create(type);
  const changes: Readonly<Record<string, object>> = KEYS[type];
  const same = Object.keys(changes).filter((part) => create(type, changes[part]).id === id);
  expect(same).toEqual([]);
  expect(create(type, {}, 'BETA').id).not.toBe(id);
  const later = { ...DETECTION, detectedAt: new Date('2027-01-01T00:00:00.000Z') };
  expect(create(type, {}, PARTICIPANT, later)).toMatchObject({ id, subject, data: FACTS[type] });
});

it.each<[FactType, object]>([
  [
    'settlementbus.statement.published.v1',
    { publishedAt: '2026-03-21T00:00:00', digest: DIGEST, variables: [] },
  ],
  ['settlementbus.statement.published.v1', { restated: true, late: undefined }],
  ['settlementbus.statement.revised.v1', { difference: undefined, previous: { runId: 1 } }],
  ['settlementbus.statement.overdue.v1', { overdueSince: '2026-03-20T02:00:00' }],
  ['settlementbus.statement.disagreement-due.v1', { runId: 1, remindOn: '2026-04-11', businessDaysLeft: 0 }],
  ['settlementbus.invoice.issued.v1', { restated: true, late: { dueDate: '2026-03-24', seconds: 1 } }],
  ['settlementbus.invoice.document-stored.v1', { bytes: 1, storedAt: '2026-03-26T00:00:00.000Z' }],
  ['settlementbus.payment.due.v1', { remindOn: '2026-06-05', daysLeft: 0, payableAmount: '1' }],
  ['settlementbus.margin.breached.v1', { severity: 'info', cause: 'thresholds', previousMargin: undefined }],
  ['settlementbus.market.unreachable.v1', { cause: 'token', detail: 'another' }],
])('%s has the same id for %j', (type, change) => {
  expect(create(type, change).id).toBe(create(type).id);
});

const ROWS = [
  { calculatedAt: '0001-01-01T00:00:00', tradingDay: '0001-01-01T00:00:00' },
  { calculatedAt: '2026-03-02T10:15:30', tradingDay: '2026-03-01T00:00:00' },
  { calculatedAt: '2026-03-02T10:15:30', tradingDay: '2026-03-02T00:00:00' },
  { calculatedAt: '2026-03-02T10:15:30.001', tradingDay: '2026-03-01T00:00:00' },
  { calculatedAt: '2026-03-03T00:00:00', tradingDay: '2020-01-01T00:00:00' },
  { calculatedAt: '9999-12-31T23:59:59', tradingDay: '9999-12-31T00:00:00' },
];
const DECISIONS = [
  ...ROWS.slice(0, 3),
  { ...ROWS[2], transition: 1 },
  { ...ROWS[2], transition: 12 },
  ...ROWS.slice(3),
];

/** Data in the order of their facts. */
it.each<[FactType, readonly object[]]>([
  ['settlementbus.statement.published.v1', [1, 9, 10, 4711, 2_147_483_647].map((runId) => ({ runId }))],
  [
    'settlementbus.invoice.issued.v1',
    ['1999-12-31', '2025-12-31', '2026-01-01', '2026-01-10'].map((invoiceDate) => ({ invoiceDate })),
  ],
  [
    'settlementbus.payment.due.v1',
    [{ reminder: 10 }, { reminder: 5 }, { reminder: 0 }, { dueDate: '2026-06-12', reminder: 5 }],
  ],
  ['settlementbus.position.calculated.v1', ROWS],
  ['settlementbus.margin.breached.v1', DECISIONS],
  ['settlementbus.margin.breach-forecast.v1', DECISIONS],
  ['settlementbus.credit-support.short.v1', DECISIONS],
])('the sequence of %s grows as text with its facts', (type, facts) => {
  const sequences = facts.map((change) => create(type, change).sequence);
  expect(sequences.toSorted()).toEqual(sequences);
  expect(new Set(sequences).size).toBe(sequences.length);
  expect(sequences.filter((sequence) => !/^\d{20}$/.test(sequence))).toEqual([]);
});

it.each<[FactType, object]>([
  ['settlementbus.statement.revised.v1', { publishedAt: '2026-01-01T00:00:00' }],
  ['settlementbus.invoice.discrepancy.v1', {}],
  ['settlementbus.timeline.changed.v1', { revision: 1 }],
  ['settlementbus.estimation.published.v1', { publishedAt: '2026-01-01T00:00:00' }],
])('the sequence of %s grows with the time of its detection', (type, older) => {
  const detectedAt = new Date(DETECTION.detectedAt.getTime() + 1);
  const later = create(type, older, PARTICIPANT, { ...DETECTION, detectedAt });
  expect([create(type).sequence, later.sequence]).toEqual(['00000001772417731007', '00000001772417731008']);
});

it.each<[FactType, FactType]>([
  ['settlementbus.statement.published.v1', 'settlementbus.statement.revised.v1'],
  ['settlementbus.position.stale.v1', 'settlementbus.position.resumed.v1'],
  ['settlementbus.market.unreachable.v1', 'settlementbus.market.recovered.v1'],
  ['settlementbus.credit-support.short.v1', 'settlementbus.credit-support.restored.v1'],
  ['settlementbus.margin.warning.v1', 'settlementbus.margin.breached.v1'],
])('%s and %s have one subject and follow each other', (before, after) => {
  const [first, second] = [create(before), create(after)];
  expect(second.subject).toBe(first.subject);
  expect(second.sequence > first.sequence).toBe(true);
});

it('every type has a guide in sentences', () => {
  const wrong = EVENT_TYPES.filter((type) =>
    Object.values(definitionOf(type).guide).some((text) => !/^[A-Z].*\.$/s.test(text)),
  );
  expect(wrong).toEqual([]);
});

it.each<[string, FactType, object]>([
  ['a fraction', 'settlementbus.statement.published.v1', { runId: 1.5 }],
  ['an invalid time', 'settlementbus.margin.breached.v1', { calculatedAt: 'never' }],
])('throws for %s', (_, type, change) => {
  expect(() => create(type, change)).toThrow(RangeError);
});
