import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkOperatorConfig } from '../load.js';

const CHANNEL = 'prudential.channels.bridge.apps.participant.iam.market';
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'detection-schema-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** The errors of a file that has these lines first. */
function errorsOf(lines: readonly string[], environment: Record<string, string> = {}): string[] {
  const path = join(folder, 'bridge.yaml');
  const rest = [
    'participants: [{ code: WPGENCO, margin: { warning: "2", breach: "1", hysteresis: "0" } }]',
    `routes: [{ types: ['*'], channel: ${CHANNEL} }]`,
    'senders: []',
    "alerts: { unattended: true, sinks: [{ name: log, kind: log }], rules: [{ types: ['*'], sinks: [log] }] }",
  ];
  writeFileSync(path, [...lines, ...rest].join('\n'));
  return checkOperatorConfig(path, { environment }).errors.map(({ line, message }) => `${line}: ${message}`);
}

const DURATION = (from: string, to: string) =>
  `must be a duration from ${from} to ${to}, such as 30s, 10m, 26h or 2d`;
const DAY =
  'must be a day such as mon or a range such as mon-fri; the days are mon, tue, wed, thu, fri, sat, sun';
const DATE = 'must be a date that exists, such as "2026-12-25" in quotes';
const RATE = 'must be a rate in per cent from "0" to "100", in quotes and without a percent sign';

describe('an invalid setting is refused', () => {
  it.each([
    ['margin: { minDuration: 30 }', 'margin.minDuration', DURATION('0s', '7d')],
    ['margin: { minDuration: 169h }', 'margin.minDuration', DURATION('0s', '7d')],
    ["margin: { deepeningStep: '-1.00' }", 'margin.deepeningStep', /^must be an amount of 0 or more /],
    ['margin: { warning: 5 % }', 'margin.warning', /^must be an amount such as "250000.00", or a share /],
    [
      'margin: { severity: { breached: fatal } }',
      'margin.severity.breached',
      'must be info or warning or critical',
    ],
    [
      'margin: { severity: { breach: info } }',
      'margin.severity.breach',
      'is an unknown key; the nearest known key is breached',
    ],
    ['forecast: { horizonDays: 0 }', 'forecast.horizonDays', 'must be at least 1'],
    ['forecast: { horizonDays: 32 }', 'forecast.horizonDays', 'must be at most 31'],
    ['forecast: { trend: { method: cubic } }', 'forecast.trend.method', 'must be linear or none'],
    ['forecast: { trend: { calculations: 1 } }', 'forecast.trend.calculations', 'must be at least 3'],
    ['position: { staleAfter: 0s }', 'position.staleAfter', DURATION('1s', '31d')],
    ['position: { days: [monday-friday] }', 'position.days.0', DAY],
    ['position: { days: mon-fri }', 'position.days', 'must be a list'],
    ['position: { days: [] }', 'position.days', 'must have at least one entry'],
    ['settlement: { overdueGrace: 32d }', 'settlement.overdueGrace', DURATION('0s', '31d')],
    ["settlement: { estimations: 'yes' }", 'settlement.estimations', 'must be true or false'],
    ['settlement: { markets: [] }', 'settlement.markets', 'must have at least one entry'],
    ['settlement: { markets: [WEM, stem] }', 'settlement.markets.1', 'must be WEM or NSTEM or STEM'],
    [
      'settlement: { markets: [WEM, STEM, WEM] }',
      'settlement.markets',
      'names WEM more than once; name each market once',
    ],
    [
      'payments: { remindDaysBefore: [5, 1, 5] }',
      'payments.remindDaysBefore',
      'names 5 more than once; name each number of days once',
    ],
    ['payments: { remindDaysBefore: [367] }', 'payments.remindDaysBefore.0', 'must be at most 366'],
    [
      'payments: { remindDaysBefore: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }',
      'payments.remindDaysBefore',
      'must have at most 10 entries',
    ],
    ['payments: { days: working }', 'payments.days', 'must be calendar or business'],
    ['payments: { positiveAmount: receives }', 'payments.positiveAmount', 'must be pay or receive'],
    [
      'disagreement: { markets: { WEN: {} } }',
      'disagreement.markets.WEN',
      'is an unknown key; the nearest known key is WEM',
    ],
    [
      'disagreement: { markets: { STEM: { ADJ1: { businessDays: 5 } } } }',
      'disagreement.markets.STEM.ADJ1',
      'is an unknown key; the known keys are INITIAL',
    ],
    [
      'disagreement: { markets: { WEM: { INITIAL: { businessDays: 0 } } } }',
      'disagreement.markets.WEM.INITIAL.businessDays',
      'must be at least 1',
    ],
    [
      'disagreement: { markets: { WEM: { INITIAL: { businessDays: 401 } } } }',
      'disagreement.markets.WEM.INITIAL.businessDays',
      'must be at most 400',
    ],
    ['disagreement: { remind: [400] }', 'disagreement.remind.0', 'must be at most 399'],
    [
      'disagreement: { remind: [1, 5, 1] }',
      'disagreement.remind',
      'names 1 more than once; name each number of business days once',
    ],
    [
      'disagreement: { markets: { WEM: { INITIAL: { businessDays: 5 } } } }',
      'disagreement.markets.WEM.INITIAL.businessDays',
      'is 5, but the reminders have 5; give WEM INITIAL a list remind with smaller numbers',
    ],
    [
      'disagreement: { markets: { WEM: { INITIAL: { businessDays: 5, remind: [6, 5, 4] } } } }',
      'disagreement.markets.WEM.INITIAL.remind',
      'has 6, 5, but WEM INITIAL has only 5 business days; each reminder must be less',
    ],
    ["discrepancies: { gstPercent: '10%' }", 'discrepancies.gstPercent', RATE],
    ['discrepancies: { gstPercent: 10 }', 'discrepancies.gstPercent', RATE],
    [
      "discrepancies: { gstTolerance: '-0.01' }",
      'discrepancies.gstTolerance',
      /^must be an amount of 0 or more /,
    ],
    ['market: { unreachableAfter: 8d }', 'market.unreachableAfter', DURATION('1s', '7d')],
    ['forecasts: {}', 'forecasts', 'is an unknown key; the nearest known key is forecast'],
  ])('%s', (setting, path, expected) => {
    const [problem, ...others] = errorsOf(['defaults:', `  ${setting}`]);
    const prefix = `2: defaults.${path} `;
    expect(problem?.slice(0, prefix.length)).toBe(prefix);
    if (typeof expected === 'string') expect(problem?.slice(prefix.length)).toBe(expected);
    else expect(problem?.slice(prefix.length)).toMatch(expected);
    expect(others).toEqual([]);
  });

  it.each([
    ['businessDays: []', 'businessDays must have at least one entry'],
    ['businessDays: [fri-]', `businessDays.0 ${DAY}`],
    ['businessDays: [sun, mon, tue, wed, thu, fri, sat, sun]', 'businessDays must have at most 7 entries'],
    ["holidays: ['2026-02-29']", `holidays.0 ${DATE}`],
    ["holidays: ['25.12.2026']", `holidays.0 ${DATE}`],
  ])('%s', (line, expected) => {
    expect(errorsOf([line])).toEqual([`1: ${expected}`]);
  });
});

it('compares the reminders of a profile with the windows of defaults, and reports them once', () => {
  const lines = [
    'defaults: { disagreement: { remind: [1], markets: { NSTEM: { ADJ3: { businessDays: 3 } } } } }',
    'profiles:',
    '  large: { disagreement: { remind: [3] } }',
    '  small: { disagreement: { markets: { NSTEM: { ADJ3: { businessDays: 2 } } } } }',
  ];
  expect(errorsOf(lines)).toEqual([
    '3: profiles.large.disagreement.remind has 3, but NSTEM ADJ3 has only 3 business days; each reminder must be less',
  ]);
});

it('accepts a setting from an environment variable', () => {
  const lines = ['defaults:', "  market: { unreachableAfter: '${UNREACHABLE_AFTER}' }"];
  expect(errorsOf(lines, { UNREACHABLE_AFTER: '5m' })).toEqual([]);
  expect(errorsOf(lines, { UNREACHABLE_AFTER: '5' })).toEqual([
    `2: defaults.market.unreachableAfter ${DURATION('1s', '7d')}`,
  ]);
});
