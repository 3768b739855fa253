import { leafPaths, objectPaths, withChange, type Path } from '../test/json-paths.js';
import {
  FURTHER_EVENTS,
  SIGNED_EVENTS,
  SUMMARISED_STATEMENT,
  VARIABLES_SUMMARY,
} from '../test/sample-events.js';
import { validateEvent } from './validate.js';

/** Members that the operator may omit, or that depend on the fact. */
const OPTIONAL: readonly (readonly [types: RegExp, members: RegExp])[] = [
  [/./, /^backfilled$/],
  [/statement\.published/, /^data,(digest|disagreeUntil|late|restated)$/],
  [
    /statement\.revised/,
    /^data,(disagreeUntil|difference|changes|changes,items,\d+,(before|after)|previous,(publishedAt|totals|digest))$/,
  ],
  [/invoice\.(issued|adjusted|reversed)/, /^data,(reversedId|tradeWeek|tradeMonth)$/],
  [
    /invoice\.(issued|adjusted|reversed)/,
    /^data,(gstExclusive|gst|total|payableAmount|direction|settlementRequired)$/,
  ],
  [
    /invoice\.(issued|adjusted)/,
    /^data,(changed|late|restated|changed,(digest|dueDate|total|payableAmount|direction))$/,
  ],
  [/invoice\.issued/, /^data,digest$/],
  [/invoice\.reversed/, /^data,reversed,(digest|dueDate|total|payableAmount|direction)$/],
  [/statement\.(revised|disagreement)|invoice\.(issued|adjusted|reversed)|estimation/, /^data,repetition$/],
  [/invoice\.discrepancy/, /^data,(comparedWith|direction)$/],
  [/payment\.due/, /^data,dayTotals$/],
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
const INVOICE = SIGNED_EVENTS['settlementbus.invoice.issued.v1'];
const MARGIN = SIGNED_EVENTS['settlementbus.margin.warning.v1'];

describe.each(EVENTS)('a signed event: $name', ({ event }) => {
  const { type } = event;
  const members = objectPaths(event).flatMap((path) => membersOf(event, path));
  const isOptional = (path: Path): boolean =>
    OPTIONAL.some(([types, names]) => types.test(type) && names.test(path.join()));
  const without = (path: Path) => validateEvent(withChange(event, path, () => undefined));

  it('is accepted before and after JSON, and without each optional member', () => {
    const read: unknown = JSON.parse(JSON.stringify(event));
    expect(validateEvent(event)).toEqual({ ok: true, event });
    expect(validateEvent(read)).toEqual({ ok: true, event: read });
    expect(members.filter((path) => isOptional(path) && !without(path).ok)).toEqual([]);
  });

  it('is refused without any other member, which the problem names', () => {
    const required = members.filter((path) => !isOptional(path) && path.join() !== 'type');
    // A statement has its variables or their summary, so each missing one is a problem.
    const problemsWithout = (path: Path): number =>
      type.includes('.statement.') && /^data,variables(Summary)?$/.test(path.join()) ? 3 : 1;
    const wrong = required.filter((path) => {
      const problems = problemsOf(without(path));
      const isNamed = problems.some((problem) => problem.includes(`'${path.at(-1)}'`));
      return problems.length !== problemsWithout(path) || !(isNamed || problems.length > 1);
    });
    expect(wrong).toEqual([]);
  });

  it('is refused with an additional member in any object', () => {
    const wrong = objectPaths(event).filter((path) => {
      const more = withChange(event, path, (before) => ({ ...(before as object), extra: 'x' }));
      const problems = problemsOf(validateEvent(more));
      return problems.length !== 1 || !problems[0]?.includes('must NOT have additional properties');
    });
    expect(wrong).toEqual([]);
  });

  it('is refused when any value has another type', () => {
    const accepted = leafPaths(event).filter((path) =>
      [null, [], {}, ['x']].some((other) => validateEvent(withChange(event, path, () => other)).ok),
    );
    expect(accepted).toEqual([]);
  });
});

it('a problem names its path and never the value', () => {
  const verdict = validateEvent(withChange(MARGIN, ['sequence'], () => 'secret'));
  expect(problemsOf(verdict)).toEqual([expect.stringMatching(/^\/sequence must match pattern/)]);
  expect(JSON.stringify(verdict)).not.toContain('secret');
});

it('accepts and refuses these decimals', () => {
  const accepted = ['0', '-1', '0.1', '123456789012345.67890123', '-0.00000001'];
  const longest = `${'9'.repeat(400)}.${'9'.repeat(401)}`;
  const refused = [
    ...['', '01', '-00', ' 1', '1 ', '1\n', '+1', '.5', '5.', '-', '--1', '1e5', '1E-5', '0x1f', '1,000'],
    ...['1_000', '1.2.3', 'NaN', 'Infinity', '١', '9'.repeat(803), 1, 1.5, -0],
  ];
  const isAccepted = (event: object, path: Path) => (value: unknown) =>
    validateEvent(withChange(event, path, () => value)).ok;
  const tradingMargin = isAccepted(MARGIN, ['data', 'tradingMargin']);
  const threshold = isAccepted(MARGIN, ['data', 'thresholds', 'breach']);
  const variable = isAccepted(STATEMENT, ['data', 'variables', 0, 'value']);
  expect([...accepted, longest].filter((value) => !tradingMargin(value))).toEqual([]);
  expect(refused.filter((value) => tradingMargin(value) || threshold(value) || variable(value))).toEqual([]);
});

it('refuses these values of the envelope, and names each', () => {
  const refused: readonly (readonly [name: string, value: string])[] = [
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
  ];
  const wrong = refused.filter(([name, value]) => {
    const problems = problemsOf(validateEvent(withChange(MARGIN, [name], () => value)));
    return problems.length === 0 || problems.some((problem) => !problem.startsWith(`/${name} must`));
  });
  expect(wrong).toEqual([]);
});

it('refuses these values of the data', () => {
  const refused: readonly (readonly [event: object, member: string, value: unknown])[] = [
    [STATEMENT, 'runId', 0],
    [STATEMENT, 'runId', 1.5],
    [STATEMENT, 'runId', '4711'],
    [STATEMENT, 'marketService', 'GAS'],
    [STATEMENT, 'designation', 'initial'],
    [STATEMENT, 'publishedAt', '2026-03-20T17:00:05+08:00'],
    [STATEMENT, 'periodFrom', '2026-03-01'],
    [STATEMENT, 'variables', {}],
    [INVOICE, 'adjustment', 4],
    [INVOICE, 'invoiceDate', '2026-03-21T00:00:00'],
    [INVOICE, 'settlementRequired', 'Y'],
  ];
  const accepted = refused.filter(
    ([event, member, value]) => validateEvent(withChange(event, ['data', member], () => value)).ok,
  );
  expect(accepted).toEqual([]);
});

it('refuses the data of another type, also of another margin event', () => {
  const levels = [
    ['settlementbus.margin.warning.v1', 'BREACHED', 'OK'],
    ['settlementbus.margin.warning.v1', 'WARNING', 'BREACHED'],
    ['settlementbus.margin.breached.v1', 'WARNING', 'OK'],
    ['settlementbus.margin.restored.v1', 'BREACHED', 'WARNING'],
    ['settlementbus.margin.restored.v1', 'WARNING', 'OK'],
  ] as const;
  const accepted = levels.filter(([type, level, previousLevel]) => {
    const event = SIGNED_EVENTS[type];
    return validateEvent({ ...event, data: { ...event.data, level, previousLevel } }).ok;
  });
  expect(accepted).toEqual([]);
  expect(validateEvent({ ...STATEMENT, data: MARGIN.data }).ok).toBe(false);
});

it('accepts empty labels, and any number of trading days: document 000 sets no bound', () => {
  const accepted: readonly (readonly [event: object, path: Path, value: unknown])[] = [
    [INVOICE, ['data', 'id'], ''],
    [INVOICE, ['data', 'tradeWeek'], ''],
    [STATEMENT, ['data', 'period'], ''],
    [STATEMENT, ['data', 'variables', 0, 'variable'], ''],
    [STATEMENT, ['data', 'tradingDays'], 1_001],
  ];
  const refused = accepted.filter(
    ([event, path, value]) => !validateEvent(withChange(event, path, () => value)).ok,
  );
  expect(refused).toEqual([]);
});

describe('a statement with a summary in place of its variables', () => {
  const change = (path: Path, value: unknown) =>
    validateEvent(withChange(SUMMARISED_STATEMENT, path, () => value));

  it('is refused with both, and with neither', () => {
    expect(change(['data', 'variables'], []).ok).toBe(false);
    expect(change(['data', 'variablesSummary'], undefined).ok).toBe(false);
  });

  it('is refused with these values in the summary', () => {
    const { path } = VARIABLES_SUMMARY.source;
    const refused: readonly (readonly [Path, unknown])[] = [
      [['extra'], 1],
      [['count'], -1],
      [['count'], 1.5],
      [['sha256'], 'AB'.repeat(32)],
      [['sha256'], 'ab'.repeat(31)],
      [['source', 'method'], 'POST'],
      [['source', 'path'], `https://host${path}`],
      [['source', 'path'], '/api/v2/settlements/WEM/invoice/2026-03-01/INITIAL'],
      [['source', 'path'], `${path}?a=b c`],
      [['source', 'path'], `${path}?${'a'.repeat(300)}`],
    ];
    const accepted = refused.filter(
      ([member, value]) => change(['data', 'variablesSummary', ...member], value).ok,
    );
    expect(accepted).toEqual([]);
  });

  it('is accepted with a query in the path of its source', () => {
    const path = `${VARIABLES_SUMMARY.source.path}?participantCode=ALPHA`;
    expect(change(['data', 'variablesSummary', 'source', 'path'], path).ok).toBe(true);
  });
});

it('returns the first twenty problems of an event that has thousands', () => {
  const variables = Array.from({ length: 1_000 }, () => ({}));
  const verdict = validateEvent(withChange(STATEMENT, ['data', 'variables'], () => variables));
  expect(problemsOf(verdict)).toHaveLength(20);
});

it('a value without a known type is of an unknown type', () => {
  const untyped = withChange(MARGIN, ['type'], () => undefined);
  const values = [
    undefined,
    null,
    'text',
    1,
    [],
    {},
    { type: 'settlementbus.statement.published.v2' },
    { type: 1 },
  ];
  for (const value of [...values, untyped])
    expect(validateEvent(value)).toEqual({ ok: false, reason: 'unknown-type' });
});

function membersOf(event: object, path: Path): Path[] {
  const place = path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], event);
  return Object.keys(place as object).map((name) => [...path, name]);
}

function problemsOf(verdict: ReturnType<typeof validateEvent>): readonly string[] {
  return !verdict.ok && verdict.reason === 'schema' ? verdict.problems : [];
}
