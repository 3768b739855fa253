import type { EventType } from './envelope/event-type.js';
import { leafPaths, objectPaths, withChange, type Path } from './testing/json-paths.js';
import {
  FURTHER_EVENTS,
  SIGNED_EVENTS,
  SUMMARISED_STATEMENT,
  VARIABLES_SUMMARY,
} from './testing/sample-events.js';
import { validateEvent } from './validate.js';

/** Members that document 000 lets the operator leave out, that earlier releases did not send, or that depend on the fact. */
const OPTIONAL: readonly (readonly [types: RegExp, members: RegExp])[] = [
  [/./, /^backfilled$/],
  [/statement\.published/, /^data,(digest|late|restated)$/],
  [/statement\.revised/, /^data,(difference|previous,(publishedAt|totals|digest))$/],
  [/invoice\.(issued|adjusted|reversed)/, /^data,(reversedId|tradeWeek|tradeMonth)$/],
  [/invoice\.(issued|adjusted|reversed)/, /^data,(total|payableAmount|settlementRequired)$/],
  [
    /invoice\.(issued|adjusted)/,
    /^data,(changed|late|restated|changed,(digest|dueDate|total|payableAmount))$/,
  ],
  [/invoice\.issued/, /^data,digest$/],
  [/invoice\.reversed/, /^data,reversed,(digest|dueDate|total|payableAmount)$/],
  [/statement\.revised|invoice\.(issued|adjusted|reversed)|estimation/, /^data,repetition$/],
  [/invoice\.discrepancy/, /^data,comparedWith$/],
  [/position\.(stale|resumed)/, /^data,neverCalculated$/],
  [/timeline/, /^data,changes,\d+,(date|from|to)$/],
  [
    /position\.calculated/,
    /^data,(prepayment|invoiceNotPaid|cumulativeEstimatedExposure|outstandingAmount|credit\w+|trading(Limit|Margin))$/,
  ],
  [
    /margin\.(warning|breached|restored)/,
    /^data,(outstandingAmount|digest|transition|cause|previousMargin|severity)$/,
  ],
  [
    /margin\.(warning|breached|restored)/,
    /^data,thresholds,(method|tradingLimit|deepeningStep|minDurationSeconds)$/,
  ],
  [/margin\.breach-forecast/, /^data,trend$/],
  [/margin\.forecast-cleared/, /^data,(daysUntilBreach|breachDay|trend)$/],
  [/heartbeat/, /^data,(test|polls,\w+,lastSuccess)$/],
  [/alert/, /^data,(channel|sender|detail|severity|interface|document)$/],
];

const EVENTS = [...Object.values(SIGNED_EVENTS), ...FURTHER_EVENTS].map((event, at) => ({
  name: `${at} ${event.type}`,
  event,
}));

const STATEMENT = SIGNED_EVENTS['settlementbus.statement.published.v1'];
const MARGIN = SIGNED_EVENTS['settlementbus.margin.warning.v1'];

describe.each(EVENTS)('a signed event: $name', ({ event }) => {
  const { type } = event;

  it('is accepted before and after JSON', () => {
    const read: unknown = JSON.parse(JSON.stringify(event));
    expect(validateEvent(event)).toEqual({ ok: true, event });
    expect(validateEvent(read)).toEqual({ ok: true, event: read });
  });

  const members = objectPaths(event).flatMap((path) => membersOf(event, path));
  const isOptional = (path: Path): boolean =>
    OPTIONAL.some(([types, names]) => types.test(type) && names.test(path.join()));

  it.each(members.filter((path) => !isOptional(path)))('is refused without %s %s %s %s', (...path) => {
    const verdict = validateEvent(withChange(event, path, () => undefined));
    // An event without a type is an event of an unknown type.
    if (path.join() === 'type') expect(verdict).toEqual({ ok: false, reason: 'unknown-type' });
    // A statement has its variables or their summary, so each missing one is a problem.
    else if (type.includes('.statement.') && /^data,variables(Summary)?$/.test(path.join()))
      expect(problemsOf(verdict)).toHaveLength(3);
    else expect(problemsOf(verdict)).toEqual([expect.stringContaining(`'${path.at(-1)}'`)]);
  });

  it('is accepted without its optional members', () => {
    const refused = members
      .filter(isOptional)
      .filter((path) => !validateEvent(withChange(event, path, () => undefined)).ok);
    expect(refused).toEqual([]);
  });

  it.each(objectPaths(event).map((path) => ({ path, name: `/${path.join('/')}` })))(
    'is refused with an additional member in $name',
    ({ path }) => {
      const more = withChange(event, path, (before) => ({ ...(before as object), extra: 'x' }));
      expect(problemsOf(validateEvent(more))).toEqual([
        expect.stringContaining('must NOT have additional properties'),
      ]);
    },
  );

  it.each(leafPaths(event).filter((path) => path.join() !== 'type'))(
    'is refused when %s %s %s %s has another type',
    (...path) => {
      for (const other of [null, [], {}, ['x']])
        expect(validateEvent(withChange(event, path, () => other)).ok).toBe(false);
    },
  );

  it('names the path of a problem and never the value', () => {
    const verdict = validateEvent(withChange(event, ['sequence'], () => 'secret'));
    expect(problemsOf(verdict)).toEqual([expect.stringMatching(/^\/sequence must match pattern/)]);
    expect(JSON.stringify(verdict)).not.toContain('secret');
  });
});

describe('a decimal', () => {
  const accepted = [
    '0',
    '-1',
    '0.1',
    '123456789012345.67890123',
    `${'9'.repeat(400)}.${'9'.repeat(401)}`,
    '-0.00000001',
  ];
  const refused = [
    ...[
      '',
      '01',
      '-00',
      ' 1',
      '1 ',
      '1\n',
      '+1',
      '.5',
      '5.',
      '-',
      '--1',
      '1e5',
      '1E-5',
      '0x1f',
      '1,000',
      '1_000',
      '1.2.3',
    ],
    ...['NaN', 'Infinity', '١', '9'.repeat(803)],
  ];

  it.each(accepted)('can be %s', (value) => {
    expect(validateEvent(withChange(MARGIN, ['data', 'tradingMargin'], () => value)).ok).toBe(true);
  });

  it.each([...refused, 1, 1.5, -0])('cannot be %p', (value) => {
    for (const path of [
      ['data', 'tradingMargin'],
      ['data', 'thresholds', 'breach'],
    ])
      expect(validateEvent(withChange(MARGIN, path, () => value)).ok).toBe(false);
    expect(validateEvent(withChange(STATEMENT, ['data', 'variables', 0, 'value'], () => value)).ok).toBe(
      false,
    );
  });
});

describe('the envelope', () => {
  it.each([
    ['specversion', '0.3'],
    ['id', 'not a uuid'],
    ['id', MARGIN.id.toUpperCase()],
    ['id', MARGIN.id.replace(/^(.{14})4/, '$17')],
    ['id', MARGIN.id.replace(/^(.{19})./, '$1c')],
    ['source', 'urn:other:ALPHA'],
    ['source', 'urn:settlement-bus-bridge:A:B'],
    ['subject', ''],
    ['subject', 'x'.repeat(501)],
    ['time', '2026-03-02T10:15:30'],
    ['time', '2026-03-02T10:15:30Z'],
    ['time', '2026-03-02T10:15:30+07:00'],
    ['time', '2026-13-02T10:15:30+08:00'],
    ['time', '2026-03-32T10:15:30+08:00'],
    ['time', '2026-03-02T24:15:30+08:00'],
    ['time', '2026-03-02 10:15:30+08:00'],
    ['datacontenttype', 'text/plain'],
    ['dataschema', STATEMENT.dataschema],
    ['participant', ''],
    ['sequence', '1'],
    ['sequence', '1'.repeat(21)],
    ['sequence', `-${'0'.repeat(19)}`],
    ['traceparent', '00-0-0-01'],
    ['detectedat', '2026-03-02T02:15:31Z'],
    ['detectedat', '2026-03-02T10:15:31.007+08:00'],
    ['signedat', '2026-03-02T02:15:31.050'],
    ['channel', ''],
    ['topic', ''],
    ['proof', 'e30.e30.c2ln'],
    ['proof', 'e30..'],
    ['proof', 'e30..c2ln='],
  ])('cannot have the %s %j', (name, value) => {
    expect(problemsOf(validateEvent(withChange(MARGIN, [name], () => value)))).toHaveLength(1);
  });
});

describe('the data', () => {
  it.each<[string, Path, unknown]>([
    ['runId 0', ['data', 'runId'], 0],
    ['a runId with decimals', ['data', 'runId'], 1.5],
    ['a runId as text', ['data', 'runId'], '4711'],
    ['another market service', ['data', 'marketService'], 'GAS'],
    ['another designation', ['data', 'designation'], 'initial'],
    ['a zoned date-time', ['data', 'publishedAt'], '2026-03-20T17:00:05+08:00'],
    ['a date for a date-time', ['data', 'periodFrom'], '2026-03-01'],
    ['variables that are not a list', ['data', 'variables'], {}],
  ])('of a statement cannot have %s', (_, path, value) => {
    expect(validateEvent(withChange(STATEMENT, path, () => value)).ok).toBe(false);
  });

  it.each<[string, Path, unknown]>([
    ['adjustment 4', ['data', 'adjustment'], 4],
    ['a date-time for a date', ['data', 'invoiceDate'], '2026-03-21T00:00:00'],
    ['a yes for settlementRequired', ['data', 'settlementRequired'], 'Y'],
  ])('of an invoice cannot have %s', (_, path, value) => {
    expect(
      validateEvent(withChange(SIGNED_EVENTS['settlementbus.invoice.issued.v1'], path, () => value)).ok,
    ).toBe(false);
  });

  it.each([
    ['settlementbus.margin.warning.v1', 'BREACHED', 'OK'],
    ['settlementbus.margin.warning.v1', 'WARNING', 'BREACHED'],
    ['settlementbus.margin.breached.v1', 'WARNING', 'OK'],
    ['settlementbus.margin.restored.v1', 'BREACHED', 'WARNING'],
    ['settlementbus.margin.restored.v1', 'WARNING', 'OK'],
  ] as const)('of %s cannot have level %s after %s', (type, level, previousLevel) => {
    const event = withChange(SIGNED_EVENTS[type], ['data'], (data) => ({
      ...(data as object),
      level,
      previousLevel,
    }));
    expect(validateEvent(event).ok).toBe(false);
  });

  it.each<[EventType, Path]>([
    ['settlementbus.invoice.issued.v1', ['data', 'id']],
    ['settlementbus.invoice.issued.v1', ['data', 'tradeWeek']],
    ['settlementbus.statement.published.v1', ['data', 'period']],
    ['settlementbus.statement.published.v1', ['data', 'variables', 0, 'variable']],
  ])('of %s can have an empty label at %p', (type, path) => {
    expect(validateEvent(withChange(SIGNED_EVENTS[type], path, () => '')).ok).toBe(true);
  });

  it('of a statement can cover any number of trading days: document 000 sets no bound', () => {
    expect(validateEvent(withChange(STATEMENT, ['data', 'tradingDays'], () => 1_001)).ok).toBe(true);
  });

  it('of one type is refused in another type', () => {
    const mixed = { ...STATEMENT, data: MARGIN.data };
    expect(validateEvent(mixed).ok).toBe(false);
  });
});

describe('a statement', () => {
  const change = (path: Path, value: unknown) =>
    validateEvent(withChange(SUMMARISED_STATEMENT, path, () => value));

  it('can have a summary in place of its variables', () => {
    const read: unknown = JSON.parse(JSON.stringify(SUMMARISED_STATEMENT));
    expect(validateEvent(read)).toEqual({ ok: true, event: read });
  });

  it('cannot have both, or neither', () => {
    expect(change(['data', 'variables'], []).ok).toBe(false);
    expect(change(['data', 'variablesSummary'], undefined).ok).toBe(false);
  });

  it.each(Object.keys(VARIABLES_SUMMARY))('cannot have a summary without %s', (name) => {
    expect(problemsOf(change(['data', 'variablesSummary', name], undefined))).toEqual([
      expect.stringContaining(`'${name}'`),
    ]);
  });

  it.each<[string, Path, unknown]>([
    ['an additional member', ['extra'], 1],
    ['a negative count', ['count'], -1],
    ['a count with decimals', ['count'], 1.5],
    ['a hash in capitals', ['sha256'], 'AB'.repeat(32)],
    ['a short hash', ['sha256'], 'ab'.repeat(31)],
    ['another method', ['source', 'method'], 'POST'],
    ['a whole address', ['source', 'path'], `https://host${VARIABLES_SUMMARY.source.path}`],
    ['another operation', ['source', 'path'], '/api/v2/settlements/WEM/invoice/2026-03-01/INITIAL'],
    ['a query with a space', ['source', 'path'], `${VARIABLES_SUMMARY.source.path}?a=b c`],
    ['a long query', ['source', 'path'], `${VARIABLES_SUMMARY.source.path}?${'a'.repeat(300)}`],
  ])('cannot have a summary with %s', (_, path, value) => {
    expect(change(['data', 'variablesSummary', ...path], value).ok).toBe(false);
  });

  it('can have a summary with a query in its path', () => {
    const path = `${VARIABLES_SUMMARY.source.path}?participantCode=ALPHA`;
    expect(change(['data', 'variablesSummary', 'source', 'path'], path).ok).toBe(true);
  });
});

it('returns the first twenty problems of an event that has thousands', () => {
  const variables = Array.from({ length: 1_000 }, () => ({}));
  const verdict = validateEvent(withChange(STATEMENT, ['data', 'variables'], () => variables));
  expect(problemsOf(verdict)).toHaveLength(20);
});

it.each([undefined, null, 'text', 1, [], {}, { type: 'settlementbus.statement.published.v2' }, { type: 1 }])(
  '%p has an unknown type',
  (value) => {
    expect(validateEvent(value)).toEqual({ ok: false, reason: 'unknown-type' });
  },
);

function membersOf(event: object, path: Path): Path[] {
  const place = path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], event);
  return Object.keys(place as object).map((name) => [...path, name]);
}

function problemsOf(verdict: ReturnType<typeof validateEvent>): readonly string[] {
  return !verdict.ok && verdict.reason === 'schema' ? verdict.problems : [];
}
