import type { MarginLevel } from '@ssb/events';
import { parseDecimal } from '@ssb/market';
import {
  amount,
  pollAll,
  row,
  schemaProblems,
  settingsWith,
  share,
  summarise,
  type Poll,
} from '../../../../test/support/positions.js';
import { marginLevel } from './margin.js';

const raised = settingsWith({ margin: { breach: amount('400000'), warning: amount('500000') } });
const deepening = settingsWith({ margin: { deepeningStep: amount('1000000') } });
const tenMinutes = settingsWith({ margin: { minDurationMs: 600_000 } });
const halfAnHour = settingsWith({
  margin: { minDurationMs: 1_800_000, deepeningStep: amount('1000000') },
});
const highBreach = settingsWith({
  margin: { breach: amount('400000'), warning: amount('450000'), hysteresis: amount('200000') },
});
const wideHysteresis = settingsWith({
  margin: { hysteresis: amount('450000'), deepeningStep: amount('100000') },
});
const shares = settingsWith({
  margin: { warning: share('25'), breach: share('10.5'), hysteresis: share('1') },
});

const THRESHOLDS = {
  warning: parseDecimal('250000.00'),
  breach: parseDecimal('100000.00'),
  hysteresis: parseDecimal('10000.00'),
};

it.each<[MarginLevel, string, MarginLevel]>([
  // From OK: the thresholds themselves, to the last digit.
  ['OK', '250000', 'OK'],
  ['OK', '249999.99999999', 'WARNING'],
  ['OK', '100000.00000000', 'WARNING'],
  ['OK', '99999.99999999', 'BREACHED'],
  ['OK', '-1', 'BREACHED'],
  // From WARNING: left upwards only at 260,000.
  ['WARNING', '250000', 'WARNING'],
  ['WARNING', '259999.99999999', 'WARNING'],
  ['WARNING', '260000', 'OK'],
  ['WARNING', '100000', 'WARNING'],
  ['WARNING', '99999.99', 'BREACHED'],
  // From BREACHED: WARNING from 110,000, OK only from 260,000.
  ['BREACHED', '100000', 'BREACHED'],
  ['BREACHED', '109999.99999999', 'BREACHED'],
  ['BREACHED', '110000', 'WARNING'],
  ['BREACHED', '249999.99', 'WARNING'],
  ['BREACHED', '250000', 'WARNING'],
  ['BREACHED', '259999.99999999', 'WARNING'],
  ['BREACHED', '260000', 'OK'],
])('from %s at %s the level is %s', (previous, margin, expected) => {
  expect(marginLevel(parseDecimal(margin), previous, THRESHOLDS)).toBe(expected);
});

it('a level that has lasted is announced while polls fail, and once', () => {
  const served = { rows: [row('10:00:00', '-1')], settings: halfAnHour };
  const failed = { rows: undefined, settings: halfAnHour };
  const polls = pollAll([
    { ...served, now: '10:00:00' },
    { ...failed, now: '10:29:59' },
    { ...failed, now: '10:30:00' },
    { ...failed, now: '10:35:00' },
    { ...served, now: '10:40:00' },
  ]);
  expect(polls.map(({ facts }) => summarise(facts))).toEqual([
    [],
    [],
    ['margin.breached 10:00:00 -1 calculation/0'],
    [],
    [],
  ]);
});

it.each<[string, readonly Poll[], readonly (readonly string[])[]]>([
  [
    'a breach in a second calculation of the same second',
    [{ rows: [row('10:00:00', '350000')] }, { rows: [row('10:00:00', '350000'), row('10:00:00', '-1')] }],
    [[], ['margin.breached 10:00:00 -1 calculation/0']],
  ],
  ...['-1', '-0.5', '99999.99'].map((breach): [string, readonly Poll[], readonly (readonly string[])[]] => [
    // Whatever the digests are.
    `a breach of ${breach} in the same second as healthy margins, and none`,
    [
      {
        rows: [breach, '350000', '350000.5', '1000000'].map((margin) => row('10:00:00', margin)),
      },
      { rows: [row('10:00:00', { creditLimit: '1' })] },
    ],
    [[`margin.breached 10:00:00 ${breach} calculation/0`], []],
  ]),
  [
    'two breaches of one second deepen in the same order',
    [
      {
        rows: ['-20000000', '-0.5', '100', '-9'].map((margin) => row('10:00:00', margin)),
        settings: settingsWith({ margin: { deepeningStep: amount('1') } }),
      },
    ],
    [
      [
        'margin.breached 10:00:00 100 calculation/0',
        'margin.breached 10:00:00 -0.5 deepened/0',
        'margin.breached 10:00:00 -9 deepened/0',
        'margin.breached 10:00:00 -20000000 deepened/0',
      ],
    ],
  ],
  [
    'a breach that deepens by the step, and by less',
    [
      { rows: [row('10:00:00', '-1')], settings: deepening },
      { rows: [row('10:05:00', '-9999999')], settings: deepening },
      { rows: [row('10:10:00', '-10999998.99')], settings: deepening },
    ],
    [['margin.breached 10:00:00 -1 calculation/0'], ['margin.breached 10:05:00 -9999999 deepened/0'], []],
  ],
  [
    'a deeper breach without a step',
    [{ rows: [row('10:00:00', '-1'), row('10:05:00', '-9999999')] }],
    [['margin.breached 10:00:00 -1 calculation/0']],
  ],
  [
    'a threshold above the current margin at the start, raised, lowered and raised while running',
    [
      { rows: [row('10:00:00', '300000')], settings: raised },
      { rows: [row('10:00:00', '300000')] },
      { rows: [row('10:00:00', '300000')], settings: raised },
      { rows: [row('10:00:00', '300000')], settings: raised },
    ],
    [
      ['margin.breached 10:00:00 300000 calculation/0'],
      ['margin.restored 10:00:00 300000 thresholds/1'],
      ['margin.breached 10:00:00 300000 thresholds/2'],
      [],
    ],
  ],
  [
    'thresholds that change although the operator serves nothing any more',
    [{ rows: [row('10:00:00', '300000')] }, { rows: [], settings: raised, now: '2026-03-09T12:00:00' }],
    [[], ['margin.breached 10:00:00 300000 thresholds/0']],
  ],
  [
    'a calculation that arrives late is decided at its place',
    [{ rows: [row('10:00:00', '300000'), row('10:10:00', '300000')] }, { rows: [row('10:05:00', '200000')] }],
    [[], ['margin.warning 10:05:00 200000 calculation/0', 'margin.restored 10:10:00 300000 calculation/0']],
  ],
  [
    // At 10:10 the margin is a warning after OK, but still a breach after the breach of 10:05.
    'a late calculation that changes what a level was decided from',
    [
      { rows: [row('10:10:00', '105000')] },
      { rows: [row('10:05:00', '90000')] },
      // All of it becomes part of the base.
      { rows: [], now: '2026-03-09T12:00:00' },
    ],
    [
      ['margin.warning 10:10:00 105000 calculation/0'],
      ['margin.breached 10:05:00 90000 calculation/0', 'margin.breached 10:10:00 105000 calculation/1'],
      [],
    ],
  ],
  [
    // Both changes of 10:10 have the transition 0, so the level of the second one is the announced one.
    'a late calculation that changes the level of the same transition',
    [
      { rows: [row('10:00:00', '500000')], settings: highBreach },
      { rows: [row('10:10:00', '150000')], settings: wideHysteresis },
      { rows: [row('09:59:00', '290000')], settings: wideHysteresis },
    ],
    [
      [],
      ['margin.warning 10:10:00 150000 calculation/0'],
      ['margin.breached 09:59:00 290000 calculation/0', 'margin.breached 10:10:00 150000 deepened/0'],
    ],
  ],
  [
    'equal thresholds have no warning',
    [
      {
        rows: [row('10:00:00', '99999.99'), row('10:05:00', '109999.99'), row('10:10:00', '110000')],
        settings: settingsWith({ margin: { warning: amount('100000'), breach: amount('100000') } }),
      },
    ],
    [['margin.breached 10:00:00 99999.99 calculation/0', 'margin.restored 10:10:00 110000 calculation/0']],
  ],
  [
    'amounts of 23 digits that are equal as doubles',
    [
      {
        rows: [row('10:00:00', '123456789012345.67890123'), row('10:05:00', '123456789012345.67890122')],
        settings: settingsWith({
          margin: {
            warning: amount('123456789012345.67890123'),
            breach: amount('123456789012345.67890123'),
            hysteresis: amount('0'),
          },
        }),
      },
    ],
    [['margin.breached 10:05:00 123456789012345.67890122 calculation/0']],
  ],
  [
    'forecasts and calculations without a margin decide no level',
    [{ rows: [row('10:00:00', '-1', { isForecast: true }), row('10:05:00', { outstandingAmount: '5' })] }],
    [['margin.breach-forecast 10:00:00 -1 0']],
  ],
  [
    // A share without a trading limit decides nothing: the second row.
    'thresholds that are shares of the trading limit',
    [
      {
        rows: [
          row('10:00:00', { tradingMargin: '250', tradingLimit: '1000' }),
          row('10:05:00', '-1'),
          row('10:10:00', { tradingMargin: '104.99', tradingLimit: '1000.00' }),
        ],
        settings: shares,
      },
    ],
    [['margin.breached 10:10:00 104.99 calculation/0']],
  ],
  [
    'a short breach below the minimum duration',
    [
      { rows: [row('10:00:00', '-1')], settings: tenMinutes, now: '10:00:30' },
      { rows: [row('10:00:00', '-1'), row('10:09:59', '300000')], settings: tenMinutes },
    ],
    [[], []],
  ],
  [
    'a breach that has lasted at a later calculation, also when that one is healthy',
    [{ rows: [row('10:00:00', '-1'), row('10:10:00', '300000')], settings: tenMinutes }],
    [['margin.breached 10:00:00 -1 calculation/0', 'margin.restored 10:10:00 300000 calculation/0']],
  ],
  [
    'a breach announced when it had lasted, and a late calculation that ended it before',
    [
      { rows: [row('10:00:00', '-1')], settings: tenMinutes, now: '10:10:00' },
      { rows: [row('10:09:00', '300000')], settings: tenMinutes, now: '10:11:00' },
    ],
    [['margin.breached 10:00:00 -1 calculation/0'], ['margin.restored 10:09:00 300000 calculation/0']],
  ],
  [
    'a breach that was announced, when the clock is set back',
    [
      { rows: [row('10:00:00', '-1')], settings: tenMinutes, now: '10:10:00' },
      { rows: [row('10:06:00', '-2')], settings: tenMinutes, now: '10:08:00' },
      { rows: [], settings: tenMinutes, now: '10:11:00' },
    ],
    [['margin.breached 10:00:00 -1 calculation/0'], [], []],
  ],
  [
    'a warning that becomes a breach while it waits: each must last',
    [
      { rows: [row('10:00:00', '200000'), row('10:05:00', '-1')], settings: tenMinutes, now: '10:10:00' },
      { rows: [], settings: tenMinutes, now: '10:15:00' },
    ],
    [['margin.warning 10:00:00 200000 calculation/0'], ['margin.breached 10:05:00 -1 calculation/0']],
  ],
  [
    // Below the warning for 40 minutes, below the breach for 20.
    'a breach that becomes a warning while it waits: the time of both counts for the warning',
    [
      { rows: [row('10:00:00', '50000'), row('10:20:00', '150000')], settings: halfAnHour, now: '10:29:59' },
      { rows: [], settings: halfAnHour, now: '10:30:00' },
      { rows: [row('10:40:00', '300000')], settings: halfAnHour, now: '10:40:00' },
    ],
    [[], ['margin.warning 10:20:00 150000 calculation/0'], ['margin.restored 10:40:00 300000 calculation/0']],
  ],
  [
    'the same in one response, with a second breach that does not last',
    [
      {
        rows: [
          row('10:00:00', '50000'),
          row('10:20:00', '150000'),
          row('10:25:00', '50000'),
          row('10:40:00', '300000'),
        ],
        settings: halfAnHour,
      },
    ],
    [['margin.warning 10:20:00 150000 calculation/0', 'margin.restored 10:40:00 300000 calculation/0']],
  ],
  [
    'a breach that deepens while it waits',
    [
      {
        rows: [row('10:00:00', '-1'), row('10:10:00', '-9999999'), row('10:20:00', '-2')],
        settings: halfAnHour,
        now: '10:29:59',
      },
      { rows: [], settings: halfAnHour, now: '10:30:00' },
      { rows: [row('10:31:00', '-10999998')], settings: halfAnHour },
      { rows: [row('10:32:00', '-10999999')], settings: halfAnHour },
    ],
    [
      [],
      ['margin.breached 10:00:00 -1 calculation/0', 'margin.breached 10:10:00 -9999999 deepened/0'],
      [],
      ['margin.breached 10:32:00 -10999999 deepened/0'],
    ],
  ],
  [
    // The margin of 10:05 has not left the breach: 100,000 plus 10,000.
    'the hysteresis of a breach that waits',
    [
      {
        rows: [row('10:00:00', '-1'), row('10:05:00', '109999')],
        settings: tenMinutes,
        now: '10:10:00',
      },
    ],
    [['margin.breached 10:00:00 -1 calculation/0']],
  ],
])('%s', (_, polls, expected) => {
  const results = pollAll(polls);
  expect(results.map(({ facts }) => summarise(facts))).toEqual(expected);
  expect(schemaProblems(results.flatMap(({ facts }) => facts))).toEqual([]);
});

it('announces the figures of a breach and its thresholds as amounts', () => {
  const rows = [
    row('10:00:00.1234567', { tradingMargin: '-1.50', tradingLimit: '1000', outstandingAmount: '7.10' }),
  ];
  const [polled] = pollAll([{ rows, settings: shares }]);
  expect(polled?.facts.at(-1)).toEqual({
    type: 'settlementbus.margin.breached.v1',
    data: {
      tradingDay: '2026-03-02T00:00:00',
      calculatedAt: '2026-03-02T10:00:00.123',
      level: 'BREACHED',
      previousLevel: 'OK',
      tradingMargin: '-1.50',
      outstandingAmount: '7.10',
      thresholds: {
        warning: '250',
        breach: '105',
        hysteresis: '10',
        deepeningStep: '0',
        method: 'share',
        tradingLimit: '1000',
        minDurationSeconds: 0,
      },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      transition: 0,
      cause: 'calculation',
      severity: 'critical',
    },
  });
});

it('announces the previous margin of a deeper breach', () => {
  const rows = [row('10:00:00', '-1'), row('10:05:00', '-9999999')];
  const [polled] = pollAll([{ rows, settings: deepening }]);
  expect(polled?.facts.at(-1)?.data).toMatchObject({ previousLevel: 'BREACHED', previousMargin: '-1' });
});
